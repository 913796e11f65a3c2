"""_TargetArgsExpr._match: keyword arguments of the node that the pattern does not name are filtered away
instead of failing the match, so add(inp, mm, alpha=3) is fused as a plain addmm and sub(s, amax(s), alpha=2)
is rewritten by mul_softmax_pattern without alpha; eager scales the second operand by alpha."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, inp, a, b, x):
        r0 = torch.add(inp, torch.mm(a, b), alpha=3)
        s = x * 4.0
        r1 = torch.sub(s, torch.amax(s, dim=1, keepdim=True), alpha=2)
        return r0, r1


def get_inputs():
    return [torch.randn(8, 16), torch.randn(8, 12), torch.randn(12, 16), torch.randn(6, 10) + 3.0]


OPTIONS = {"calls": 2, "dynamic": True}
