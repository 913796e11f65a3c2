"""Elements repeated with a total that does not fit the counts."""

import torch


class Model(torch.nn.Module):
    def forward(self, values, counts):
        return torch.repeat_interleave(values, counts, output_size=8) * 2


def get_inputs():
    return [torch.arange(1.0, 4.0), torch.tensor([2, 2, 1])]
