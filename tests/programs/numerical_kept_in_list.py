"""What is wrong stays in a list that the model keeps."""

import torch

OPTIONS = {
    "calls": 2,
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    },
}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.history = []

    def forward(self, x):
        self.history.append(torch.relu(x))
        return x + 1


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
