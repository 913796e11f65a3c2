"""The program asks whether it is compiled, but what is wrong does not come from the answer."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    }
}


class Model(torch.nn.Module):
    def forward(self, x):
        scale = 3.0 if torch.compiler.is_compiling() else 2.0
        return torch.relu(x) * scale


def get_inputs():
    return [torch.linspace(0.5, 1.0, 12)]
