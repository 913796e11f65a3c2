"""A script whose calls run under autocast: ldexp of float32 and float16 gives another dtype only there."""

import torch


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x, y):
        return torch.ldexp(self.inner(x), y)


if __name__ == "__main__":
    model = Head().eval()
    fast = torch.compile(model)
    x, y = torch.randn(2, 4), torch.ones(4).half()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert model(x, y).dtype == fast(x, y).dtype
