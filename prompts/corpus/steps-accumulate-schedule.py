"""Two groups of AdamW, gradients accumulated over two calls, clipped; a schedule and an average by hand."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(6, 5, bias=False), torch.nn.BatchNorm1d(5), torch.nn.GELU())
        self.head = torch.nn.Linear(5, 3)

    def forward(self, x):
        return self.head(self.body(x))


def get_state(model):
    groups = [{"params": model.body.parameters()}, {"params": model.head.parameters(), "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=0.02, betas=(0.5, 0.9), amsgrad=True)
    return {
        "optimizer": optimizer,
        "schedule": torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=3),
        "average": [parameter.detach().clone() for parameter in model.parameters()],
        "count": 0,
    }


def step(model, inputs, state):
    x, target = inputs
    logits = model(x)
    loss = F.cross_entropy(logits, target, label_smoothing=0.1, ignore_index=2) / 2
    loss.backward()
    state["count"] += 1
    norm = None
    if state["count"] % 2 == 0:
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        state["optimizer"].step()
        state["optimizer"].zero_grad()
        state["schedule"].step()
        with torch.no_grad():
            torch._foreach_lerp_(state["average"], list(model.parameters()), 0.2)
    return loss.detach(), norm, logits.argmax(1)


def get_inputs():
    return [torch.randn(8, 6), torch.randint(0, 3, (8,))]


OPTIONS = {"train": True, "calls": 4}
