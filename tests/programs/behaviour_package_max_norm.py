"""AOTInductor compiles an embedding with max_norm, but the loaded package cannot be called: it hands back one result
too many."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(4, 3, max_norm=0.5)

    def forward(self, i):
        return self.table(i)


def get_inputs():
    return [torch.tensor([1, 2, 1])]


OPTIONS = {"mode": "aot_inductor"}
