"""What a model keeps and nobody can look into, or nobody means: it is there before, and stays as it was."""

import logging
import threading

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
        self.log = logging.getLogger("model")
        self.draws = torch.Generator()
        self.activation = torch.nn.functional.gelu
        self.names = {"b", "a"}
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        self.names.add("c")
        return self.activation(x)


def get_inputs():
    return [torch.randn(4)]
