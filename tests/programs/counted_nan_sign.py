"""The sign of a NaN made visible, and relu wrong in the same output."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    }
}


class Model(torch.nn.Module):
    def forward(self, x, e):
        return torch.copysign(torch.relu(x), torch.float_power(x, e))


def get_inputs():
    return [torch.linspace(-2.0, 2.0, 8).reshape(4, 2), torch.tensor(0.37)]
