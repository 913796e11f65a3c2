import torch
import torch.nn as nn

OPTIONS = {"backward": True}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.smooth = nn.AvgPool1d(4, 3, ceil_mode=True)

    def forward(self, wave):
        soft = self.smooth(wave.square())
        return soft[:, -1], soft.amax()


def get_inputs():
    return [torch.linspace(-1, 2, 22, dtype=torch.float64).reshape(2, 11)]
