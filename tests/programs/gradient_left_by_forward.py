"""forward itself goes backward, and what is wrong stays in the weight's gradient."""

import torch

OPTIONS = {
    "grad": True,
    "train": True,
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    },
}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(64))

    def forward(self, x):
        (self.w * torch.relu(x)).mean().backward()
        return x + 1


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
