"""validate_args_and_maybe_create_graph_inputs: the backward of an autograd.Function is traced with a tensor
placeholder for each gradient, so with ctx.set_materialize_grads(False) and an unused output the branch for
None is never taken, eager passes None."""

import torch

OPTIONS = {"threads": 2, "backward": True}


class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2.0, x * 3.0

    @staticmethod
    def backward(ctx, a, b):
        if b is None:
            return a * 2.0
        return a * 2.0 + b * 3.0 + 100.0


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        first, _ = Two.apply(self.w * x)
        return first


def get_inputs():
    return [torch.tensor([1.0, 0.5, 2.0])]
