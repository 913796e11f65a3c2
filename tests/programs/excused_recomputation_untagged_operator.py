"""An operator of the program's own draws noise, but does not carry the tag nondeterministic_seeded by which PyTorch
wants to be told. So backward may run it again, and draws other noise."""

import torch


@torch.library.custom_op("lab::jitter", mutates_args=())
def jitter(x: torch.Tensor) -> torch.Tensor:
    return torch.rand(x.shape)


@jitter.register_fake
def _(x):
    return torch.empty_like(x)


class Model(torch.nn.Module):
    def forward(self, x):
        return (x * torch.ops.lab.jitter(x.detach())).sin().exp()


def get_inputs():
    return [torch.randn(8, 8)]


OPTIONS = {"mode": "inductor_recomputation", "backward": True}
