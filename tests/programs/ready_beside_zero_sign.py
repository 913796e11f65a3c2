"""The sign of a zero is made visible, and relu is wrong as well: what is wrong goes first."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    }
}


class Model(torch.nn.Module):
    def forward(self, x):
        zero = (x[:1] * -0.0).sum(0)
        return torch.copysign(x[1:], zero), torch.relu(x)


def get_inputs():
    return [torch.linspace(0.5, 1.5, 5)]
