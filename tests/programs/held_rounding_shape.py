"""A mask that noise does not tip, of values that round, in a program that cannot run in double."""

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    },
}


class Model(torch.nn.Module):
    def forward(self, x):
        if x.element_size() != 4:
            raise TypeError("a word is meant")
        scaled = x * 1.1
        scaled.view(torch.int32).bitwise_and_(-1)  # a write through another type has no double
        return scaled[torch.relu(x) > 0.51]


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
