"""The gradient's first row is wrong where many outputs are differentiated together; the cause is unknown."""

import torch


class Model(torch.nn.Module):
    @torch._dynamo.disable
    def f(self, x):
        return (
            x.norm(),
            x.prod(1),
            x.unbind(1)[0],
            torch.linalg.svdvals(x),
            x.cummax(0)[0],
            x.index_select(0, torch.tensor([0, 0])),
            x.max(),
            x.median(),
            x.std(),
            x.roll(1),
            x.repeat(2, 1),
            x.tril(),
            x.logcumsumexp(1),
        )

    def forward(self, x):
        return self.f(x * 1)


def get_inputs():
    return [torch.randn(3, 4, requires_grad=True)]


OPTIONS = {"mode": "inductor_compiled_autograd", "backward": True, "grad": True}
