"""wrap_listlike: a collections.deque with maxlen held by the module is rebuilt from its items only
(`cls_for_instance(value)(output, source=...)`), the maxlen is lost, so append in compiled code grows the
deque where eager drops the oldest element."""

import collections

import torch

OPTIONS = {"calls": 2}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.q = collections.deque([1.0, 2.0], maxlen=2)

    def forward(self, x):
        self.q.append(3.0)
        self.q.append(5.0)
        self.q.appendleft(7.0)
        total = 0.0
        for v in self.q:
            total = total * 10.0 + v
        return x * total, x + len(self.q), x * self.q[0]


def get_inputs(scale=0):
    return [torch.ones(3 + scale)]
