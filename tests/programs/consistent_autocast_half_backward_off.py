"""A product with autocast switched off around it, and a custom function with custom_fwd and custom_bwd. Where the
settings say that backward runs outside autocast, as AMP recommends, compiled gradients are eager's, in float32."""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.t(), x.t() @ g


class Model(torch.nn.Module):
    def forward(self, x, w):
        with torch.autocast("cpu", enabled=False):
            y = x @ w
        return y * 3, Product.apply(x, w)


def get_inputs():
    return [torch.randn(4, 8), torch.randn(8, 8)]


OPTIONS = {
    "mode": "inductor_autocast_half",
    "autocast": "float16",
    "backward": True,
    "functorch_config": {"backward_pass_autocast": "off"},
}
