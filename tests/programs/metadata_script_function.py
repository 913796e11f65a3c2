"""As a report shows it: a function, its inputs and an assertion at module level. huber_loss of mixed dtypes gives
another dtype when compiled (pytorch issue 197098)."""

import torch


def loss(pred, target, *, delta=1.0):
    return torch.nn.functional.huber_loss(pred, target, delta=delta)


pred = torch.randn(8).half()
target = torch.randn(8).bfloat16()
want = loss(pred, target, delta=0.5)
got = torch.compile(loss, fullgraph=True)(pred, target=target, delta=0.5)
torch.testing.assert_close(got, want)
