"""TensorVariable._method_size_stride: after an in-place metadata change without tensor argument (t_(),
unsqueeze_()) the cached size, stride and is_contiguous of the variable stay those from before (call_method
syncs only when an argument is a tensor), so compiled code sees the old sizes, where eager sees the new
ones."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = x.clone()
        y.t_()
        z = x.clone()
        z.unsqueeze_(0)
        a = x.sum() * y.size(0) + y.stride(0) * 100 + z.dim() * 10000
        return a, y.size(0), y.stride(0), y.is_contiguous(), z.dim()


def get_inputs():
    return [torch.arange(15, dtype=torch.float32).reshape(3, 5)]


OPTIONS = {"calls": 2, "dynamic": True, "threads": 8}
