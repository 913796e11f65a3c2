"""Lines that draw random numbers, for programs whose compiled code draws its own (draws.py)."""

from typing import Any

import forms

OFTEN = 0.3  # share of the lines of such a program
CALLS = (
    *("torch.rand_like({x})", "torch.randn_like({x})", "torch.bernoulli(torch.sigmoid({x}))"),
    *("F.dropout({x}, {part}, True)", "F.dropout1d({x}, {part}, True)", "F.alpha_dropout({x}, {part}, True)"),
    *("F.rrelu({x}, 0.1, 0.4, True)", "F.gumbel_softmax({x}, dim=-1)", "torch.normal({x}, 0.5)"),
    *("{x}.clone().uniform_(-1, 2)", "{x}.clone().exponential_(2)", "{x}.clone().geometric_({part})"),
    *("{x} + torch.randn({x}.shape[-1], dtype={x}.dtype, device={x}.device)",),
    *("torch.randint_like({x}, 0, 9)", "torch.randint(-3, 4, {x}.shape, device={x}.device)"),
    *("torch.rand({x}.shape, dtype=torch.float16, device={x}.device)",),
    *("torch.where(torch.rand_like({x}) < {part}, {x}, -{x})",),
)


def propose(draft: Any) -> forms.Proposal | None:
    given = draft.pick("float32")
    if given is None or draft.values[given].dim() == 0:
        return None
    target = draft.fresh()
    text = draft.dice.choice(CALLS).format(x=given, part=draft.dice.choice((0.1, 0.25, 0.5, 0.9)))
    return forms.Proposal([f"{target} = {text}"], [target], [given], draws=True)
