"""_reflection_pad_backward: with a positive left and a large negative right padding the left reflection is
bounded only by 1 <= x <= padding_left and not by the length of the output, so compiled code reads grad_output
past the row's end (a neighbour row's gradient) where eager adds nothing."""

import torch
import torch.nn.functional as F

OPTIONS = {"backward": True}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, w):
        return F.pad(x, (3, -5), mode="reflect") * w


def get_inputs():
    x = torch.arange(12.0).reshape(1, 3, 4).requires_grad_(True)
    w = torch.arange(1.0, 7.0).reshape(1, 3, 2)
    return [x, w]
