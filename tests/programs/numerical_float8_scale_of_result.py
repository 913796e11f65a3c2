"""torch._scaled_mm with scale_result and a float8 result: eager divides by it before the cast, compiled code leaves
it out."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        a = x.to(torch.float8_e4m3fn)
        one = torch.tensor(1.0)
        y = torch._scaled_mm(a, a.t(), one, one, scale_result=torch.tensor(0.1), out_dtype=torch.float8_e4m3fn)
        return y.float()


def get_inputs():
    return [torch.randn(16, 16) * 3]
