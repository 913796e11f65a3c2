"""quant_lift_up: the pass reads quant_node.args[0] and, in line 3943, the view's args[0]; when quantize or
the view is called with keywords (input=, self=) args is empty and compilation dies with IndexError, eager
runs."""

import torch
import torch.ao.quantization.fx._decomposed


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = x * 2.0
        v = torch.ops.aten.permute.default(y, [1, 0])
        q = torch.ops.quantized_decomposed.quantize_per_tensor.default(
            input=v,
            scale=0.05,
            zero_point=3,
            quant_min=0,
            quant_max=255,
            dtype=torch.uint8,
        )
        return q


def get_inputs():
    return [torch.randn(3, 4)]
