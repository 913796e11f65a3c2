"""Hand-written rules for what has no schema: modules, control flow, writes through views, the parts of training."""

from dataclasses import dataclass, field
from typing import Any

import corners


@dataclass
class Proposal:
    """Lines to try; `writes`: they change existing values."""

    lines: list[str]
    makes: list[str]
    reads: list[str]
    modules: dict[str, str] = field(default_factory=dict)
    writes: bool = False
    draws: bool = False


# {c}: size of the dimension with that number, counted from the end; any of them may not fit.
MODULES = (
    ("nn.Linear({-1}, 7)", ()),
    ("nn.Linear({-1}, {-1}, bias=False)", ()),
    ("nn.Bilinear({-1}, {-1}, 4)", ("twice",)),
    ("nn.LayerNorm({-1})", ()),
    ("nn.RMSNorm({-1})", ()),
    ("nn.BatchNorm1d({1})", ()),
    ("nn.BatchNorm2d({1})", ()),
    ("nn.InstanceNorm1d({1}, affine=True)", ()),
    ("nn.InstanceNorm2d({1})", ()),
    ("nn.GroupNorm(1, {1})", ()),
    ("nn.LocalResponseNorm(2)", ()),
    ("nn.Conv1d({1}, 4, 3, padding=1)", ()),
    ("nn.Conv1d({1}, {1}, 2, groups={1}, dilation=2, padding=2)", ()),
    ("nn.Conv2d({1}, 5, 3, stride=2, padding=1)", ()),
    ("nn.Conv2d({1}, {1}, 1, bias=False)", ()),
    ("nn.Conv3d({1}, 2, 1)", ()),
    ("nn.ConvTranspose1d({1}, 3, 2, stride=2)", ()),
    ("nn.ConvTranspose2d({1}, 3, 3, stride=2, output_padding=1)", ()),
    ("nn.MaxPool1d(2, ceil_mode=True)", ()),
    ("nn.MaxPool2d(3, stride=2, padding=1)", ()),
    ("nn.AvgPool1d(2)", ()),
    ("nn.AvgPool2d(2, count_include_pad=False, padding=1)", ()),
    ("nn.AdaptiveAvgPool1d(3)", ()),
    ("nn.AdaptiveAvgPool2d((2, 3))", ()),
    ("nn.AdaptiveMaxPool2d(2)", ()),
    ("nn.LPPool1d(2, 2)", ()),
    ("nn.PixelShuffle(2)", ()),
    ("nn.PixelUnshuffle(1)", ()),
    ("nn.ChannelShuffle(1)", ()),
    ("nn.Upsample(scale_factor=2, mode='nearest')", ()),
    ("nn.Upsample(scale_factor=1.5, mode='bilinear')", ()),
    ("nn.ReflectionPad1d(1)", ()),
    ("nn.ReplicationPad2d(1)", ()),
    ("nn.CircularPad1d(1)", ()),
    ("nn.ConstantPad1d((1, 2), 0.5)", ()),
    ("nn.ZeroPad2d((1, -1, 0, 1))", ()),
    ("nn.PReLU()", ()),
    ("nn.Dropout(0.3)", ()),
    ("nn.Flatten(1)", ()),
    ("nn.Unflatten(-1, (1, -1))", ()),
    ("nn.Softmax(dim=-1)", ()),
    ("nn.GLU()", ()),
    ("nn.CosineSimilarity(dim=-1)", ("twice",)),
    ("nn.PairwiseDistance()", ("twice",)),
    ("nn.SmoothL1Loss(reduction='none')", ("twice",)),
    ("nn.HuberLoss()", ("twice",)),
    ("nn.GRU({-1}, 4, batch_first=True)", ("first",)),
    ("nn.LSTM({-1}, 3, batch_first=True)", ("first",)),
    ("nn.MultiheadAttention({-1}, 1, batch_first=True)", ("thrice", "first")),
    ("nn.TransformerEncoderLayer({-1}, 1, 8, dropout=0.0, batch_first=True)", ()),
    ("nn.Embedding(10, 4)", ()),
    ("nn.EmbeddingBag(10, 3, mode='sum')", ()),
    ("nn.Sequential(nn.Linear({-1}, 6), nn.GELU(), nn.Linear(6, 3))", ()),
    ("nn.utils.parametrizations.weight_norm(nn.Linear({-1}, 3))", ()),
    ("nn.ParameterList([nn.Parameter(torch.ones({-1})), nn.Parameter(torch.zeros({-1}))])", ("parameters",)),
)
SMALL = (  # an expression that keeps shape and, except for comparisons, dtype
    "{a} + 1",
    "{a} * 2",
    "{a} - {b}",
    "{a} * {b}",
    "-{a}",
    "{a}.abs()",
    "{a}.flip(0)",
    "{a}.roll(1, -1)",
    "{a} / 2",
    "{a}.clamp(-1, 1)",
    "{a}.cumsum(0)",
    "{a}.sigmoid()",
    "{a}.tanh()",
    "torch.where({a} > {b}, {a}, {b})",
)
BLOCKS = (
    "if {a}.shape[0] > 2:\n    {t} = {one}\nelse:\n    {t} = {two}",
    "if {a}.sum() > 0:\n    {t} = {one}\nelse:\n    {t} = {two}",
    "if self.training:\n    {t} = {one}\nelse:\n    {t} = {two}",
    "{t} = {a}\nfor step in range(3):\n    {t} = {again} + step",
    "{t} = {a}\nfor row in range({a}.shape[0]):\n    {t} = {t} + {a}[row]",
    "{t} = {a}\nfor step in range({t}.dim(), 4):\n    {t} = {t}.unsqueeze(0)",
    "with torch.no_grad():\n    {t} = {one}",
    "try:\n    {t} = {a} @ {b}\nexcept RuntimeError:\n    {t} = {one}",
    "parts = [part * 2 for part in {a}.unbind(0)]\n{t} = torch.stack(parts, -1)",
    "{t} = (lambda value: {one} + value)({b})",
    "{t} = torch.cat([{one}, {two}], dim=0)",
    "{t} = {a}.clone()\n{t}[..., :1] = {b}[..., :1]",
    "{t} = {a}.clone()\n{t}[{t} > 0] = 1",
    "{t} = {a}.clone()\n{t}.transpose(0, -1)[:1].mul_(2)",
    "{t} = {a}.clone()\nhalf = {t}[::2]\nhalf.add_(1)",
    "{t} = {a}.clone()\n{t}.view(-1)[:3].zero_()",
    "{t} = {a} @ {a}.mT",
    "{t} = {a}[None] * {b}[:, None]",
    "{t} = {a}[..., -1:] + {b}[..., :1]",
    "{t} = torch.einsum('...i,...j->...ij', {a}, {b})",
)
WRITES = ("{a}.add_(1)", "{a}.mul_(2)", "{a}[0] = 0", "{a}.copy_({b}.flip(0))", "{a}[..., :1].neg_()")
FLOAT_FIRST = 0.8


def propose(draft: Any) -> Proposal | None:
    ticket = draft.dice.random()
    if ticket < 0.45:
        return module(draft)
    if ticket < 0.78:
        return block(draft)
    if ticket < 0.93:
        return block(draft, corners.CALLS)
    return write(draft)


def module(draft: Any) -> Proposal | None:
    dice = draft.dice
    text, traits = dice.choice(MODULES)
    given = draft.pick("int64" if "Embedding" in text else "float32")
    if given is None:
        return None
    value = draft.values[given]
    for place in (-1, 1):
        if f"{{{place}}}" in text:
            if value.dim() <= max(place, 0):
                return None
            text = text.replace(f"{{{place}}}", str(value.shape[place]))
    dtype = str(value.dtype)
    if dtype not in ("torch.float32", "torch.int64"):
        text = f"{text}.to({dtype})"
    name, target = draft.fresh("m"), draft.fresh()
    times = 3 if "thrice" in traits else 2 if "twice" in traits else 1
    called = f"self.{name}({', '.join([given] * times)})" + ("[0]" if "first" in traits else "")
    if "parameters" in traits:
        called = f"{given} * self.{name}[0] + self.{name}[1]"
    return Proposal([f"{target} = {called}"], [target], [given], {name: text})


def block(draft: Any, texts: tuple[str, ...] = BLOCKS) -> Proposal | None:
    dice = draft.dice
    a = draft.pick("float32") if dice.random() < FLOAT_FIRST else draft.pick()
    if a is None or draft.values[a].dim() == 0:
        return None
    shape = draft.values[a].shape
    b = dice.choice([name for name, value in draft.values.items() if value.shape == shape])
    target = draft.fresh()
    one, two = (dice.choice(SMALL).format(a=a, b=b) for _ in range(2))
    again = dice.choice(SMALL).format(a=target, b=b)
    text = dice.choice(texts).format(a=a, b=b, t=target, one=one, two=two, again=again, d=dice.choice(corners.DTYPES))
    return Proposal([text], [target], [a, b])


def write(draft: Any) -> Proposal | None:
    """Writes into a value that others may view, possibly an input."""
    a = draft.pick("float32")
    if a is None or draft.values[a].dim() == 0:
        return None
    shape = draft.values[a].shape
    b = draft.dice.choice([name for name, value in draft.values.items() if value.shape == shape])
    return Proposal([draft.dice.choice(WRITES).format(a=a, b=b)], [], [b], writes=True)
