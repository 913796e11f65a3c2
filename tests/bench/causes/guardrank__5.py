import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, tokens):
        ids = tokens.long()
        ids.unsqueeze_(-1)
        return (ids == torch.arange(4)).to(torch.int32)


def get_inputs():
    return [torch.tensor([[0, 3, 1]])]
