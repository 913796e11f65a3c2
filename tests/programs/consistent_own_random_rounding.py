"""Nothing is drawn and sums round otherwise when compiled: that is no other distribution."""

import torch

OPTIONS = {"own_random": True}


class Model(torch.nn.Module):
    def forward(self, x):
        return (x @ x.T).softmax(-1), x.exp().sum(), x.half().mean(0)


def get_inputs():
    return [torch.randn(64, 64)]
