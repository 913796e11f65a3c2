"""One vmap in another over different dimensions, in chunks, of functions that index, sort and write into a clone."""

import torch
from torch.func import vjp, vmap


class Wave(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0].cos()


class Model(torch.nn.Module):
    def forward(self, x, index):
        def one(row, at):
            changed = row * at.sum()
            changed[1:].mul_(row[at].sum())
            return changed.sort(descending=True).values.cumsum(0), row.argmax()

        values, places = vmap(vmap(one, in_dims=(None, 0)), in_dims=(1, None), out_dims=(-1, 0), chunk_size=2)(x, index)
        waves, pull = vjp(lambda row: vmap(lambda element: Wave.apply(element))(row) * row.sum(), x[:, 0])
        return values, places, waves, vmap(lambda g: pull(g)[0])(torch.eye(4, device=x.device))


def get_inputs():
    return [torch.randn(4, 5), torch.randint(0, 4, (3, 2))]


OPTIONS = {"fullgraph": True, "grad": True}
