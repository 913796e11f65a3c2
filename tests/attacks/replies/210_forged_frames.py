"""Writes results of its own, a hang-up and a line without an end wherever a descriptor takes them."""

import contextlib
import json
import os

import torch

LIE = {"outcomes": {}, "measurements": [], "compiled": "inductor", "same": False, "same_detail": "", "warnings": []}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 2.5


def get_inputs():
    frames = [{"type": "result", "id": number, "evidence": LIE, "tainted": "", "health": {}} for number in range(1, 9)]
    text = "".join(
        json.dumps(frame) + "\n" for frame in [*frames, {"type": "ended", "id": 1, "status": 0, "signal": 11}]
    )
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, text.encode())
    return [torch.randn(4, 5)]
