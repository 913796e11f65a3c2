"""A hook after accumulation, keyword arguments changed before forward, a count that alternates the output."""

import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 4))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x, *, scale=1.0):
        return (x @ self.weight) * scale


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.block.register_forward_pre_hook(self.stronger, with_kwargs=True)
        self.block.register_forward_hook(self.counted, with_kwargs=True)
        self.block.weight.register_post_accumulate_grad_hook(self.halve)

    def stronger(self, module, args, kwargs):
        return args, {**kwargs, "scale": kwargs["scale"] + len(args)}

    def counted(self, module, args, kwargs, output):
        module.calls.add_(1)
        return torch.where(module.calls % 2 == 0, -output, output) + kwargs["scale"]

    def halve(self, parameter):
        parameter.grad.mul_(0.5)

    def forward(self, x):
        return self.block(self.block(x, scale=0.5).sin(), scale=2.0)


def get_inputs():
    return [torch.randn(3, 4)]


OPTIONS = {"train": True, "backward": True, "calls": 2}
