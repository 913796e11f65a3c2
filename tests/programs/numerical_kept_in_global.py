"""What is wrong stays as a number in a dictionary of the module."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    },
}

SEEN = {"sum": 0.0}


class Model(torch.nn.Module):
    def forward(self, x):
        SEEN["sum"] += torch.relu(x).sum().item()
        return x + 1


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
