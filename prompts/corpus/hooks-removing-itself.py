"""A hook that removes itself, one on an intermediate and one around a single call, whose order shows."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(5, 5)
        self.second = torch.nn.Linear(5, 3)
        self.kept = {}
        self.handle = self.first.register_forward_hook(self.once)
        self.first.register_forward_hook(lambda module, args, output: output * 2, prepend=True)
        self.second.register_full_backward_hook(lambda module, gi, go: (gi[0] * 0.5,))

    def once(self, module, args, output):
        self.kept["once"] = args[0].sum(0)
        self.handle.remove()
        return output + 1

    def forward(self, x):
        h = self.first(x).tanh()
        h.register_hook(lambda g: g.clamp(-0.1, 0.1))
        handle = self.second.register_forward_pre_hook(lambda module, args: (args[0].flip(0),))
        y = self.second(h)
        handle.remove()
        return y + self.second(h * 2), len(self.kept)


def get_inputs():
    return [torch.randn(4, 5)]


OPTIONS = {"train": True, "backward": True, "calls": 2}
