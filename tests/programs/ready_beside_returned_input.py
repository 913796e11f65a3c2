"""An input is returned, which is known, and relu is wrong as well."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    }
}


class Model(torch.nn.Module):
    def forward(self, x):
        return x + torch.zeros_like(x), torch.relu(x)


def get_inputs():
    return [torch.linspace(-1.0, 1.0, 6, requires_grad=True)]
