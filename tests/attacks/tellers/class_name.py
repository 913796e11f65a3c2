"""A compiled run raises a class whose name is text"""

import sys

import torch

E = type(
    "X`](http://evil.example)\n\n# OWNED @pytorch/core-team <img src=x onerror=alert(1)>\u202e\x1b[31m|",
    (Exception,),
    {},
)


def mode():
    f = sys._getframe()
    while f:
        plan = getattr(f.f_locals.get("self"), "plan", None)
        if isinstance(getattr(plan, "name", None), str):
            return plan.name
        f = f.f_back
    return "?"


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bad = mode().startswith("inductor")

    def forward(self, x):
        y = torch.relu(x) + 9.5
        if self.bad:
            fail()
        return y


@torch.compiler.disable
def fail():
    raise E(
        "=cmd|' /C calc'!A0 @pytorch/core-team fixes #1 </code></pre><script>alert(1)</script>\n"
        "````\n````\n# MSGOWNED ![x](http://evil.example/p.png)"
    )


def get_inputs():
    return [torch.randn(4, 5)]
