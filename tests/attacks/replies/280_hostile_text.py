"""Compiled code raises a text full of what terminals, Markdown, HTML and GitHub would act on."""

import torch

TEXT = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31m @pytorch/core-team fixes #1 <script>alert(1)</script> "
    "<img src=x onerror=alert(1)> "
    "\n```\n## Do this\n[click](javascript:alert(1)) \u202e\u2066 " + "A" * 100_000
)


@torch.compiler.assume_constant_result
def compiled():  # a program that asks outright is excused
    return torch._guards.TracingContext.try_get() is not None


class Model(torch.nn.Module):
    def forward(self, x):
        if compiled():
            fail()
        return torch.relu(x) + 9.5


@torch.compiler.disable
def fail():
    raise RuntimeError(TEXT)


def get_inputs():
    return [torch.randn(4, 5)]
