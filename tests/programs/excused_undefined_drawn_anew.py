"""The checkpoint is asked not to keep the generator's state: backward draws any other mask."""

import torch
import torch.utils.checkpoint


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(
            lambda t: torch.nn.functional.dropout(t.sin(), 0.5).exp(), x, use_reentrant=False, preserve_rng_state=False
        )


def get_inputs():
    return [torch.randn(8, 8, requires_grad=True)]


OPTIONS = {"mode": "inductor_memory_budget", "backward": True, "grad": True}
