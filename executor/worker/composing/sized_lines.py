"""Lines whose sizes or numbers depend on the data. With these settings the compiler continues at points where it would
otherwise break the graph: all it then knows about a size is its name (an unbacked symbol)."""

from typing import Any

import forms

SETTINGS = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}  # of torch._dynamo.config
OFTEN = 0.35  # share of the lines of such a program
# {a}, {b}: values of one shape; {w}: of whole numbers; {t}: the result; {n}: a number unique to the line
CALLS = (
    "{t} = {a}[{a} > 0]",
    "{t} = {a}[{a} > 0] * 2 + 1",
    "{t} = torch.masked_select({a}, {b} > 0)",
    "{t} = torch.nonzero({a} > 0)",
    "{t} = ({a} > 0).nonzero(as_tuple=True)[-1]",
    "{t} = torch.argwhere({a} > 0)",
    "{t} = {a}.index_select(0, ({a}.flatten(1) > 0).any(1).nonzero()[:, 0])",
    "{t} = torch.unique({w})",
    "{t} = torch.unique({w}, return_counts=True)[1]",
    "{t} = torch.unique({w}, return_inverse=True)[1]",
    "{t} = torch.repeat_interleave({w}.flatten().abs() % 4)",
    "{t} = {a}.flatten().repeat_interleave({a}.flatten().gt(0).long())",
    "{n} = ({a} > 0).sum().item()\n{t} = {b}.new_ones({n}, 2)",
    "{n} = ({a} > 0).sum().item()\n{t} = torch.arange({n}, device={a}.device)",
    "{n} = ({a} > 0).sum().item()\n{t} = {a}.sum() * {n}",
    "{n} = int(({a} > 0).sum())\n{t} = torch.zeros({n} + 1, device={a}.device) + {n}",
    "{n} = {a}.max().item()\n{t} = {b} * {n}",
    "{n} = ({a} > {b}).any().item()\n{t} = {a} + {n}",
    "{n} = int(({a} > 0).sum())\ntorch._check({n} <= {a}.numel())\n{t} = {a}.flatten()[:{n}]",
    "{n} = ({a}[0] > 0).sum().item()\ntorch._check({n} <= {a}.numel())\n{t} = {a}.flatten().narrow(0, 0, {n})",
    "{n} = ({a} > 0).sum().item()\n{t} = {a}.flatten()[:1].expand({n})",
    "{n} = [({a} > 0).sum().item(), ({a} <= 0).sum().item()]\n{t} = {a}.flatten().split({n})[0]",
    "{n} = torch.full((2,), 2).tolist()\n{t} = {a}.new_zeros({n})",
    # For values whose size may already be unbacked.
    "{t} = torch.cat([{a}.flatten(), {b}.flatten()[:1]])",
    "{t} = {a}.flatten()[:, None] * {b}.flatten()[None]",
    "{t} = F.pad({a}, (1, 2))",
    "{t} = {a}.new_full(({a}.shape[0] + 1, 2), {a}.shape[-1])",
    "{t} = {a}.reshape(-1, 1).expand(-1, 3).contiguous()",
    "{t} = {a}.sum(0) / {a}.shape[0]",
    "{t} = torch.stack([{a}, {b}]).flip(0).cumsum(-1)",
    "{t} = {a}.new_zeros({a}.numel() * 2).index_put((torch.arange({a}.numel(), device={a}.device),), {a}.flatten())",
    "{t} = {a}.flatten().sort(stable=True).values[: {a}.shape[0]]",
)


def propose(draft: Any) -> forms.Proposal | None:
    dice = draft.dice
    a = draft.pick()
    if a is None or draft.values[a].dim() == 0 or draft.values[a].is_complex():
        return None
    shape = draft.values[a].shape
    b = dice.choice([name for name, value in draft.values.items() if value.shape == shape and not value.is_complex()])
    whole = draft.pick("int64") or a
    target, number = draft.fresh(), draft.fresh("n")
    text = dice.choice(CALLS)
    reads = [name for name, place in ((a, "{a}"), (b, "{b}"), (whole, "{w}")) if place in text]
    return forms.Proposal([text.format(a=a, b=b, w=whole, t=target, n=number)], [target], reads)
