"""KeywordArg._match: the fill_value of aten.full is bound as the raw Python number, not as converted to the
tensor's dtype, so cumsum(full(5, dtype=bool)) becomes arange*5 and cumsum(full(2.5, dtype=int64)) becomes a
float arange*2.5; eager first converts to True and 2 and gives int64 1,2,3.. and 2,4,6."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        a = torch.full((3, 4), 5, dtype=torch.bool, device=x.device).cumsum(1)
        b = torch.full((3, 4), 2.5, dtype=torch.int64, device=x.device).cumsum(1)
        return a, b, x + 1


def get_inputs():
    return [torch.randn(3, 4)]
