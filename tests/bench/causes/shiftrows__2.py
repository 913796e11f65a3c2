import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, queue, item):
        queue.narrow(0, 1, 5).copy_(queue.narrow(0, 0, 5).clone())
        queue[0] = item
        return queue.sum(1)


def get_inputs():
    return [torch.arange(192.0).reshape(6, 32), torch.ones(32)]
