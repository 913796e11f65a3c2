"""A scan whose body branches and closes over a parameter, reversed, beside a scan of pairs and a loop."""

import torch
from torch._higher_order_ops import associative_scan, scan, while_loop


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 4) / 4)

    def forward(self, xs, start):
        def step(carry, x):
            turned = carry @ self.weight
            new = torch.cond(x.sum() > 0, lambda a, b: a + b, lambda a, b: (a * b).tanh(), (turned, x))
            return new, new.cumsum(0)

        last, seen = scan(step, start, xs, dim=0, reverse=True)
        decay, state = associative_scan(
            lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (xs.sigmoid(), seen), 0, combine_mode="generic"
        )
        turns, grown = while_loop(
            lambda i, v: (v.norm() < 10) & (i < 20), lambda i, v: (i + 1, v * 1.5), (xs.new_zeros(()), last + 1)
        )
        return state.t(), decay[-1], turns, grown


def get_inputs():
    return [torch.randn(7, 4), torch.zeros(4)]


OPTIONS = {"dynamo_config": {"capture_scalar_outputs": True}}
