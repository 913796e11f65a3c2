import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, total, step):
        seen = torch.nn.functional.dropout(total, 0.9, False)
        seen += step
        return total.sum(), total[0]


def get_inputs():
    return [torch.arange(6, dtype=torch.float64).reshape(3, 2), torch.full((3, 2), 10.0, dtype=torch.float64)]
