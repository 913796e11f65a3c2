import torch

OPTIONS = {"inductor_config": {"cpp.inject_relu_bug_TESTING_ONLY": "accuracy"}}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2.0 + 1.25


def get_inputs():
    return [torch.randn(6, 5)]
