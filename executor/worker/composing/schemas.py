"""Rules from torch's own schemas: any operator whose arguments can be made up, called on existing values."""

import functools
import re
from typing import Any

import torch
from forms import Proposal

SPACES = (("linalg_", "torch.linalg."), ("special_", "torch.special."), ("fft_", "torch.fft."))
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64")
# Different values each time, unwritten memory, other layouts and devices, the process's own state.
LEFT_OUT = re.compile(
    r"rand|normal|empty|dropout|bernoulli|multinomial|sparse|quant|mkldnn|cudnn|miopen|cuda|out|pin|"
    r"device|stride|resize|set_|rrelu|storage|item|backward|seed|nested|uniform|cauchy|exponential|"
    r"geometric|log_normal|names|rename|copy|fbgemm|vulkan|print|data|version|fake|unsafe|cpu|coalesce|"
    r"values|indices|crow|ccol|poisson|binomial|dirichlet|gamma_grad|rnn|lstm|gru|align|refine|unique|"
    r"nonzero|histogram|dense"
)
OPTIONAL = 0.25  # how often an argument with a default is passed
MOST_REQUIRED = 4


@functools.cache
def rules() -> list[tuple[str, Any]]:
    """The name by which Python calls it, and the schema."""
    found = []
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name.removeprefix("aten::")
        private = name.startswith("_") or name.endswith("_") or "." in name
        if schema.name == name or private or "out" in schema.overload_name or LEFT_OUT.search(name):
            continue
        said = spelt(name)
        returns = [str(result.type) for result in schema.returns]
        wanted = [a for a in schema.arguments if not a.has_default_value()]
        known = all(fits(a) for a in wanted) and 0 < len(wanted) <= MOST_REQUIRED
        tensors = returns and known and {*returns, str(wanted[0].type)} <= {"Tensor", "List[Tensor]"}
        if said and tensors:
            found.append((said, schema))
    return sorted(found, key=lambda rule: (rule[0], str(rule[1])))


@functools.cache
def names() -> list[str]:
    return sorted({name for name, _ in rules()})


@functools.cache
def by_name() -> dict[str, list[Any]]:
    grouped: dict[str, list[Any]] = {}
    for name, schema in rules():
        grouped.setdefault(name, []).append(schema)
    return grouped


def spelt(name: str) -> str:
    for start, space in SPACES:
        if name.startswith(start):
            module = getattr(torch, space.split(".")[1])
            return space + name.removeprefix(start) if hasattr(module, name.removeprefix(start)) else ""
    if hasattr(torch, name):
        return "torch." + name
    if hasattr(torch.nn.functional, name):
        return "F." + name
    return "." + name if hasattr(torch.Tensor, name) else ""


def fits(argument: Any) -> bool:
    return said_type(argument) in MAKERS


def said_type(argument: Any) -> str:
    kind = str(argument.type)
    if kind.startswith("Optional["):
        kind = kind[len("Optional[") : -1]
    return kind if argument.name not in ("dtype",) else "dtype"


def propose(draft: Any) -> Proposal | None:
    dice = draft.dice
    name = dice.choice(names())
    return call(draft, name, dice.choice(by_name()[name]), a_tensor)


def call(draft: Any, name: str, schema: Any, tensor: Any) -> Proposal | None:
    """A call with made-up arguments; `tensor` makes those that are tensors."""
    dice = draft.dice
    reads: list[str] = []
    given = []
    for argument in schema.arguments:
        if argument.has_default_value() and (dice.random() > OPTIONAL or not fits(argument)):
            continue
        make = tensor if said_type(argument) == "Tensor" else MAKERS[said_type(argument)]
        text = make(draft, argument, reads)
        if text is None:
            return None
        by_keyword = argument.kwarg_only or argument.has_default_value()
        given.append(f"{argument.name}={text}" if by_keyword else text)
    if not reads:
        return None
    called = f"{given[0]}{name}({', '.join(given[1:])})" if name.startswith(".") else f"{name}({', '.join(given)})"
    count = len(schema.returns)
    if count == 1 and str(schema.returns[0].type) == "Tensor":
        target = draft.fresh()
        return Proposal([f"{target} = {called}"], [target], reads)
    if count == 1:  # a list of tensors: the first two
        one, two = draft.fresh(), draft.fresh()
        return Proposal([f"{one}, {two}, *_ = {called}"], [one, two], reads)
    targets = [draft.fresh() for _ in range(count)]
    return Proposal([f"{', '.join(targets)} = {called}"], targets, reads)


# ---- arguments


def a_tensor(draft: Any, argument: Any, reads: list[str]) -> str | None:
    dice = draft.dice
    if reads and dice.random() < 0.6:  # with the shape of the first one, most often itself
        shape = draft.values[reads[0]].shape
        alike = [name for name, value in draft.values.items() if value.shape == shape]
        name = dice.choice(alike)
    else:
        name = draft.pick()
    if name is not None:
        reads.append(name)
    return name


def tensors(draft: Any, argument: Any, reads: list[str]) -> str | None:
    names = [a_tensor(draft, argument, reads) for _ in range(draft.dice.choice((2, 2, 3)))]
    return None if None in names else f"[{', '.join(names)}]"


def whole(draft: Any, argument: Any, reads: list[str]) -> str:
    rank = draft.values[reads[0]].dim() if reads else 1
    if "dim" in argument.name or "axis" in argument.name:
        return str(draft.dice.randrange(-max(rank, 1), max(rank, 1)))
    return str(draft.dice.choice((0, 1, 1, 2, 2, 3)))


def wholes(draft: Any, argument: Any, reads: list[str]) -> str:
    dice, shape = draft.dice, list(draft.values[reads[0]].shape) if reads else [2]
    if "dim" in argument.name:
        chosen = dice.sample(range(len(shape)), dice.randint(1, max(1, len(shape)))) if shape else []
        if argument.name == "dims" and dice.random() < 0.5:
            chosen = dice.sample(range(len(shape)), len(shape))
        return f"[{', '.join(map(str, chosen))}]"
    if "size" in argument.name or "shape" in argument.name:
        changed = dice.choice((shape, [-1], [1, *shape], [2, *shape], [-1, *shape[-1:]], shape[::-1], [3] * len(shape)))
        return f"[{', '.join(map(str, changed))}]"
    return f"[{', '.join(str(dice.choice((0, 1, 1, 2))) for _ in range(dice.randint(1, 4)))}]"


MAKERS = {
    "Tensor": a_tensor,
    "List[Tensor]": tensors,
    "int": whole,
    "List[int]": wholes,
    "float": lambda draft, argument, reads: draft.dice.choice(("0.5", "0.25", "1.0", "2.0", "1e-3")),
    "number": lambda draft, argument, reads: draft.dice.choice(("1", "2", "0.5", "-1", "3", "0", "1.5")),
    "bool": lambda draft, argument, reads: draft.dice.choice(("True", "False")),
    "dtype": lambda draft, argument, reads: "torch." + draft.dice.choice(DTYPES),
}
