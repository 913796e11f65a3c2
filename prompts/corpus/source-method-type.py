"""TensorVariable.method_type: for a complex tensor no key of tensortype_to_dtype matches, next() raises
StopIteration inside Dynamo and compilation fails, where eager returns 'torch.ComplexFloatTensor'."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        if x.type() == "torch.ComplexFloatTensor":
            return x * 2
        return x + 1


def get_inputs():
    return [torch.randn(4, dtype=torch.complex64)]


OPTIONS = {"mode": "inductor_reduce_overhead"}
