"""After all of that, a fault injected on purpose is still found."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    }
}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x - 0.5) * 3


def get_inputs():
    return [torch.randn(4, 5)]
