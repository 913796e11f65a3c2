"""Composes programs line by line; each line is run on real tensors before it is kept. So a rule's proposal need not be
right, and every composed program has run. Rules come from operators.json (calls that torch tests itself with), from
torch's own schemas (schemas.py; elementwise.py for whole numbers), from drawing_lines.py (random numbers), from
sized_lines.py (sizes that depend on the data) and from forms.py (modules, control flow, writes in place). The same seed
gives the same program with the same torch.
"""

import contextlib
import random
from typing import Any

import drawing_lines
import elementwise
import forms
import operators
import schemas
import sized_lines
import torch
from screening import Screen

LINES = (4, 14)
TRIES = 12  # per line
MOST_INPUTS = 5
MOST_ELEMENTS = 1 << 15  # of one value
MOST_OUTPUTS = 4
PROGRAM_TRIES = 4
WHOLE = 0.2  # share of programs that compute mostly with whole numbers
DRAWING = 0.12  # of the others: share that draws random numbers
SIZED = 0.2  # of the rest: share with sizes that depend on the data
LATEST = 0.4  # how often a line uses the result of the last one

MAIN_DTYPES = (*("float32",) * 4, "float64", "float16", "bfloat16", "complex64")  # what rules get for float32
FIRST_DTYPES = (  # about as many float32 as half and as complex
    *("float32",) * 3,
    *("float64", "float64", "float16", "float16", "bfloat16", "bfloat16", "complex64", "complex64", "complex128"),
    *("int64", "int64", "int32", "int16", "int8", "uint8", "bool", "bool"),
)
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 32, 33)
MAIN = 0.3  # of the first inputs: share of the main type
PLAIN = 0.6  # share of inputs with the layout in which they were made
LAYOUTS = (
    *("({}).transpose(0, -1)", "({}).mT.contiguous().mT", "({}).movedim(0, -1)", "({})[..., ::2]", "({})[..., 1:]"),
    *("({}).repeat_interleave(2, 0)[1::2]", "({})[:1].expand({shape})", "({})[None].expand(2, {shape})"),
    *("({}).to(memory_format=torch.channels_last)", "({}).as_strided(({shape},), ({strides},))"),
)


class Draft:
    """A program during composition: the values made by its lines, as tensors and as text."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.inputs: dict[str, str] = {}  # name to the text that makes it
        self.modules: dict[str, str] = {}
        self.lines: list[str] = []
        self.values: dict[str, torch.Tensor] = {}
        self.used: set[str] = set()
        self.self_ = torch.nn.Module()
        self.count = 0
        # the main type, if it computes with whole numbers
        self.whole = dice.choice(elementwise.DTYPES) if dice.random() < WHOLE else ""
        self.main = dice.choice(MAIN_DTYPES)
        self.drawing = not self.whole and dice.random() < DRAWING
        self.sized = not self.whole and not self.drawing and dice.random() < SIZED
        self.draws = False  # a line draws random numbers

    def fresh(self, letter: str = "v") -> str:
        self.count += 1
        return f"{letter}{self.count}"

    # ---- what rules request

    def pick(self, dtype: str = "", rank: int = -1) -> str | None:
        """The name of a value; recent ones are more likely."""
        ranked = [name for name, value in self.values.items() if rank < 0 or value.dim() == rank]
        wanted = [name for name in ranked if not dtype or same_class(dtype, self.values[name].dtype)]
        main = [name for name in ranked if dtype == "float32" and same_class(self.main, self.values[name].dtype)]
        names = main or wanted
        if not names:
            return None
        return names[-1] if self.dice.random() < LATEST else self.dice.choice(names)

    def need(self, shape: list[int], dtype: str, low: float, high: float) -> str | None:
        """A value of exactly this shape: an existing one, otherwise a new input."""
        dtype = self.main if dtype == "float32" else dtype
        wanted = torch.Size(shape)
        names = [n for n, v in self.values.items() if v.shape == wanted and same_class(dtype, v.dtype)]
        if names and self.dice.random() < 0.7 and (dtype != "int64" or n_in_range(self.values[names[-1]], low, high)):
            return names[-1]
        return self.add_input(self.arranged(operators.maker(shape, dtype, low, high), shape))

    def add_input(self, text: str) -> str | None:
        if len(self.inputs) >= MOST_INPUTS:
            return None
        name = self.fresh("x")
        self.inputs[name] = text
        self.values[name] = evaluate(text, {})
        return name

    def arranged(self, text: str, shape: list[int], keeping_shape: bool = True) -> str:
        """Some inputs transposed, with gaps, with strides of 0, or with elements that share memory."""
        if 0 in shape or not shape or self.dice.random() < PLAIN:
            return text
        plain, named = evaluate(text, {}), {"shape": ", ".join(map(str, shape)), "strides": self.strides(shape)}
        for layout in self.dice.sample(LAYOUTS, len(LAYOUTS)):
            with contextlib.suppress(RuntimeError, IndexError):  # of another rank, for instance
                made = evaluate(layout.format(text, **named), {})
                if made.stride() != plain.stride() and (made.shape == plain.shape or not keeping_shape):
                    return layout.format(text, **named)
        return text

    def strides(self, shape: list[int]) -> str:
        """Any strides that stay within that many elements."""
        strides = [self.dice.choice((0, 1, 1, 2, *shape)) for _ in shape]
        while (
            sum(stride * (size - 1) for stride, size in zip(strides, shape, strict=True)) >= torch.Size(shape).numel()
        ):
            strides[strides.index(max(strides))] = 0
        return ", ".join(map(str, strides))

    # ---- lines

    def attempt(self, proposal: forms.Proposal) -> bool:
        """Keeps the proposal's lines if they run and make values worth having."""
        for name, text in proposal.modules.items():
            setattr(self.self_, name, evaluate(text, {}))
        copies = {name: value.clone() if proposal.writes else value for name, value in self.values.items()}
        space = {"torch": torch, "F": torch.nn.functional, "self": self.self_, **copies}
        exec("\n".join(proposal.lines), space)
        made = {name: space[name] for name in proposal.makes}
        if not all(worth_having(value) for value in made.values()):
            return False
        self.lines += proposal.lines
        self.modules |= proposal.modules
        if proposal.writes:
            self.values = {name: space[name] for name in self.values}
        self.values |= made
        self.used |= set(proposal.reads)
        self.draws |= proposal.draws
        return True


def compose(seed: int, screen: Screen) -> str | None:
    """A whole program that ran; None if composing failed."""
    dice = random.Random(seed)
    for _ in range(PROGRAM_TRIES):
        draft = composed(dice)
        if draft is None:
            continue
        needed = {"own_random": True} if draft.draws else {}
        needed |= {"dynamo_config": sized_lines.SETTINGS} if draft.sized else {}
        for options in (drawn_options(dice, draft) | needed, needed):
            text = program_text(draft, options, dice)
            if screen.error(text) is None:
                return text
            dice = random.Random(dice.random())  # other outputs, too
    return None


def composed(dice: random.Random) -> Draft | None:
    draft = Draft(dice)
    torch.manual_seed(dice.randrange(1 << 31))
    shape = first_shape(dice)
    for _ in range(dice.choice((1, 1, 2, 3))):
        whole = draft.whole and draft.arranged(elementwise.first_input(dice, shape, draft.whole), shape)
        draft.add_input(whole or first_input(draft))
    wanted = dice.randint(*LINES)
    with torch.no_grad():
        for _ in range(TRIES * wanted):
            if len(draft.lines) >= wanted:
                break
            before = draft.count, dict(draft.inputs), dict(draft.values)
            kept = False
            with contextlib.suppress(Exception):  # a proposal that does not run is discarded
                proposal = propose(draft)
                kept = proposal is not None and draft.attempt(proposal)
            if not kept:
                draft.count, draft.inputs, draft.values = before
    return draft if len(draft.lines) >= LINES[0] // 2 else None


def propose(draft: Draft) -> "forms.Proposal | None":
    ticket = draft.dice.random()
    if draft.drawing and draft.dice.random() < drawing_lines.OFTEN:
        return drawing_lines.propose(draft)
    if draft.sized and draft.dice.random() < sized_lines.OFTEN:
        return sized_lines.propose(draft)
    if draft.dice.random() < (0.7 if draft.whole else 0.04):
        return elementwise.propose(draft)
    if ticket < 0.45:
        return operators.propose(draft)
    if ticket < 0.75:
        return schemas.propose(draft)
    return forms.propose(draft)


def first_shape(dice: random.Random) -> list[int]:
    shape = [dice.choice(SIZES) for _ in range(dice.choice((1, 2, 2, 3, 3, 4)))]
    while torch.Size(shape).numel() > MOST_ELEMENTS // 8:
        shape.pop()
    return shape


def first_input(draft: Draft) -> str:
    dice = draft.dice
    shape = first_shape(dice)
    dtype = draft.main if dice.random() < MAIN else dice.choice(FIRST_DTYPES)
    text = operators.maker(shape, dtype, -1, 1) if "int" not in dtype else operators.maker(shape, dtype, 0, 9)
    return draft.arranged(text, shape, keeping_shape=False)


def evaluate(text: str, names: dict[str, Any]) -> Any:
    return eval(text, {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, **names})


def same_class(dtype: str, of: torch.dtype) -> bool:
    wanted = getattr(torch, dtype)
    if wanted.is_floating_point:
        return of.is_floating_point
    return wanted == of or (wanted.is_complex and of.is_complex)


def n_in_range(value: torch.Tensor, low: float, high: float) -> bool:
    return value.numel() == 0 or bool(((value >= low) & (value <= high)).all())


def worth_having(value: Any) -> bool:
    """Whether it is a plain tensor of normal size and mostly finite: not-a-number hides what comes after it."""
    if type(value) is not torch.Tensor or value.layout != torch.strided or value.is_quantized:
        return False
    if value.numel() > MOST_ELEMENTS or value.dim() > 6:
        return False
    finite = value.numel() - int(torch.isfinite(value).sum()) if value.dtype != torch.bool else 0
    return finite * 4 <= value.numel()


def drawn_options(dice: random.Random, draft: Draft) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if dice.random() < 0.35:
        options |= {"grad": True, "backward": True}
    if draft.modules and dice.random() < 0.5:
        options["train"] = True
    if dice.random() < 0.2:
        options["dynamic"] = True
    return options


def program_text(draft: Draft, options: dict[str, Any], dice: random.Random) -> str:
    inputs = list(draft.inputs)
    made = [name for name in draft.values if name not in draft.inputs]
    outputs = [name for name in made if name not in draft.used][-MOST_OUTPUTS:] or made[-1:]
    lines = [
        "import torch",
        "import torch.nn.functional as F",
        "from torch import nn",
        "",
        "",
        "class Model(nn.Module):",
    ]
    if draft.modules:
        lines += ["    def __init__(self):", "        super().__init__()"]
        lines += [f"        self.{name} = {text}" for name, text in draft.modules.items()]
        lines.append("")
    lines.append(f"    def forward(self, {', '.join(inputs)}):")
    lines += ["        " + part for line in draft.lines for part in line.split("\n")]
    lines.append(f"        return {', '.join(outputs)}")
    lines += ["", "", "def get_inputs():", "    return ["]
    lines += [f"        {text}," for text in draft.inputs.values()]
    lines.append("    ]")
    if options:
        lines += ["", "", f"OPTIONS = {options!r}"]
    return "\n".join(lines) + "\n"
