"""The first of two calls is wrong; the second hides it."""

import torch

OPTIONS = {
    "calls": 2,
    "dynamic": True,
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    },
}


class Model(torch.nn.Module):
    def forward(self, x, weight):
        return torch.relu(x) * weight


def get_inputs(scale: int = 1):
    return [torch.linspace(-1, 1, 8 * scale), torch.full((8 * scale,), 2.0 - scale)]
