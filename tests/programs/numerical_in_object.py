"""What is wrong lies in an object within a set within an object."""

import types

import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    },
}


class Result:
    __slots__ = ("loss",)

    def __init__(self, loss):
        self.loss = loss


class Model(torch.nn.Module):
    def forward(self, x):
        return types.SimpleNamespace(logits=x + 1, parts={"first": Result(torch.relu(x).sum())})


def get_inputs():
    return [torch.linspace(-1, 1, 64)]
