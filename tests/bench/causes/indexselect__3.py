import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.proj = nn.Linear(3, 4)

    def forward(self, tokens, order):
        hidden = self.proj(tokens)
        hidden = torch.tanh(hidden)
        keys = hidden.transpose(0, 1)
        order = order.flip(0)
        picked = keys.index_select(dim=-1, index=order)
        norm = picked.square().sum(0)
        scale = (norm + 1).rsqrt()
        out = picked * scale
        out = out.transpose(0, 1)
        left, right = out.chunk(2, dim=1)
        gate = torch.sigmoid(left)
        return gate * right


def get_inputs():
    return [torch.linspace(-1, 1, 18).reshape(6, 3), torch.tensor([5, -6, 1])]
