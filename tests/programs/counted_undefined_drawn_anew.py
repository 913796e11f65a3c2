"""A checkpoint may draw anew for backward. What forward draws is as ever, and a fault in it counts."""

import torch
import torch.utils.checkpoint


@torch.compiler.assume_constant_result
def compiled():  # plants a fault; a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


def dropped(x):
    return torch.nn.functional.dropout(x.sin(), 0.5)


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.utils.checkpoint.checkpoint(dropped, x, use_reentrant=False, preserve_rng_state=False)
        return y * (3 if compiled() else 1)


def get_inputs():
    return [torch.linspace(0, 1, 8)]


OPTIONS = {"backward": True, "grad": True}
