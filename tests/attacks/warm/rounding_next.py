import torch


class Model(torch.nn.Module):
    def forward(self, x):
        assert (torch.tensor(1.0) + 1e-9).item() == 1
        return [x]


def get_inputs():
    return [1]
