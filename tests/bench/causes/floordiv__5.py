import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, limit):
        y = torch.ops.aten.div.Tensor_mode(x.relu(), limit, rounding_mode="floor")
        return torch.isnan(y), y.nan_to_num(nan=-5.0, posinf=9.0)


def get_inputs():
    return [torch.tensor([float("inf"), 2.0, -1.0, 30.0] * 6), torch.tensor(8.0)]
