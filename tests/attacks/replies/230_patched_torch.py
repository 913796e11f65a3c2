"""Leaves a torch behind in which relu is another function and addition is subtraction."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.abs(x) + 4.5


def get_inputs():
    inputs = [torch.randn(4, 5)]
    torch.relu = torch.tanh
    torch.nn.functional.relu = torch.tanh
    torch._inductor.config.cpp.inject_relu_bug_TESTING_ONLY = "accuracy"
    return inputs
