"""The dtype autocast takes by default is each thread's own: code compiled where it was float16 runs as it is in a
thread where it is bfloat16."""

import torch

torch.set_autocast_dtype("cpu", torch.float16)


class Model(torch.nn.Module):
    def forward(self, x):
        with torch.autocast("cpu"):
            return x @ x.t()


def get_inputs():
    return [torch.randn(4, 8)]


OPTIONS = {"mode": "inductor_threads", "calls": 3}
