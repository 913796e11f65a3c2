"""A kernel that compiled code starts runs for hours."""

import torch


@torch.compiler.disable
def hang():
    torch.cuda._sleep(10**14)
    torch.cuda.synchronize()


class Model(torch.nn.Module):
    def forward(self, x):
        if torch.compiler.is_compiling():
            hang()
        return x + 1


def get_inputs():
    return [torch.randn(3)]
