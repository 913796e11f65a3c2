import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, k):
        mask = k > 1
        powers = torch.ops.aten.pow.Tensor_Scalar(k, -4)
        return torch.where(mask, powers, k)


def get_inputs():
    return [torch.tensor([1, 2, 1, 5, 1], dtype=torch.int32)]
