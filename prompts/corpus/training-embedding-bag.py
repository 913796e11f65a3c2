"""Embeddings with padding, a bag of them and weighted gradients."""

import torch
from torch import nn


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(12, 4, padding_idx=0, scale_grad_by_freq=True)
        self.bag = nn.EmbeddingBag(12, 4, mode="mean")

    def forward(self, tokens):
        return self.table(tokens).tanh(), self.bag(tokens)


def get_inputs():
    return [torch.randint(0, 12, (3, 7))]


OPTIONS = {"backward": True, "grad": True}
