import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, price, stock):
        tax = price * 0.2
        gross = price + tax
        cheap = gross < 10
        some = stock > 0
        offer = cheap.logical_and(some)
        offer.ceil_()
        count = offer.sum(dim=1)
        share = count.float() / offer.shape[1]
        best = torch.where(offer, gross, torch.full_like(gross, 99.0))
        lowest = best.amin(dim=1)
        order = torch.argsort(lowest, stable=True)
        return lowest[order], share


def get_inputs():
    return [torch.linspace(2, 14, 12).reshape(3, 4), torch.arange(12).reshape(3, 4) % 3]
