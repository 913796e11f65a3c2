"""A script that fills its model's weights after construction: floor_divide differs for these values, not for the first
ones."""

import torch


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(4))

    def forward(self, x):
        return torch.floor_divide(self.w * x, 0.001)


def fill(model):
    for parameter in model.parameters():
        parameter.data.fill_(2.5)


model = Scale()
fill(model)
x = torch.ones(4)
with torch.no_grad():
    print(model(x) - torch.compile(model)(x))
