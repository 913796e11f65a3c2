"""The wrong value is only in the mutated input."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    }
}


class Model(torch.nn.Module):
    def forward(self, x):
        x.copy_(torch.relu(x))
        return None


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
