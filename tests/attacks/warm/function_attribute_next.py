import torch


class Model(torch.nn.Module):
    def forward(self, x):
        assert not hasattr(torch.nn.functional.relu, "_torchdynamo_disable")
        return [x]


def get_inputs():
    return [1]
