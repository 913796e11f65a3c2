"""Scaling a half-precision mantissa by exponents of another type."""

import torch


class Model(torch.nn.Module):
    def forward(self, mantissa, power):
        scaled = torch.ldexp(mantissa, power)
        return scaled, torch.ldexp(mantissa.float(), power.int()), scaled.mean()


def get_inputs():
    return [torch.randn(5, 3).to(torch.bfloat16), torch.randn(5, 3).round()]
