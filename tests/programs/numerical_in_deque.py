"""What is wrong lies in a deque."""

import collections

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    },
}


class Model(torch.nn.Module):
    def forward(self, x):
        return collections.deque([torch.relu(x) * 2, x], maxlen=3)


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
