import torch
import torch.nn as nn

OPTIONS = {"backward": True}


class Model(nn.Module):
    def forward(self, image):
        small = torch.nn.functional.avg_pool2d(image, kernel_size=(3, 2), stride=2, ceil_mode=True)
        return small.relu()


def get_inputs():
    return [torch.linspace(0.5, 2, 42).reshape(1, 1, 6, 7)]
