"""The same fault with a backward pass."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    },
    "backward": True,
}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x * 3).cos()


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
