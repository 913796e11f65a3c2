"""multilabel_margin_loss_forward: for targets that end in -1, the slots after the end are gathered as class 0
(tidx0) and their z terms are never masked by target_mask (only is_target columns are zeroed), so compiled
code adds a loss against input[0] for every unused slot, while eager stops at the first -1."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, target):
        return (
            F.multilabel_margin_loss(x, target, reduction="none"),
            F.multilabel_margin_loss(x, target, reduction="mean"),
        )


def get_inputs():
    x = torch.tensor([[0.1, 0.2, 0.4, 0.8], [0.9, -0.3, 0.5, 0.0]])
    target = torch.tensor([[3, 0, -1, 1], [1, -1, -1, -1]])
    return [x, target]
