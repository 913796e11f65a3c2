"""Edits that leave values alone and change how they lie in memory: copies, round trips, strides, dtypes of inputs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from operators import COMPLEX_WORDS, Offer
from shapes import Values, literal_inputs
from source import Source, words

# What stands around an expression; any rank, any floating dtype.
WRAPS = {
    "clone": ("(", ").clone()"),
    "contiguous": ("(", ").contiguous()"),
    "round trip of unsqueeze": ("(", ").unsqueeze(0).squeeze(0)"),
    "plus zero": ("(", " + 0)"),
    "times one": ("(", " * 1.0)"),
    "stack and select": ("torch.stack([", "])[0]"),
    "reshape to its own shape": ("(lambda t: t.reshape(t.shape))(", ")"),
}
# These need a known rank of at least two.
RANKED_WRAPS = {
    "double transpose": ("(", ").transpose(-1, -2).transpose(-1, -2)"),
    "double flip": ("(", ").flip(-1).flip(-1)"),
    "transposed copy": ("(", ").transpose(-1, -2).contiguous().transpose(-1, -2)"),
    "cat of chunks": ("torch.cat((", ").chunk(2, 0), 0)"),
    "roll there and back": ("(", ").roll(1, 0).roll(-1, 0)"),
}
LOW_PRECISION_UNFIT = (
    "linalg",
    "special",
    "cholesky",
    "lu_",
    "qr(",
    "svd",
    "inverse",
    "histc",
    "igamma",
    "lgamma",
    "median",
)
# Something with a type of its own may meet the inputs.
MIXING = words(
    "dtype nn. .float() .double() .half() .bfloat16() .to( torch.zeros torch.ones torch.full torch.tensor "
    "torch.arange torch.linspace torch.eye Parameter Linear index_add scatter index_put torch.rand "
    "torch.empty lerp register_buffer unique quantile view_as_complex as_tensor"
)


def edits(code: Source, nodes: list[ast.AST], values: Values, inputs: dict[str, ast.Call]) -> Iterator[Offer]:
    yield from wraps(code, nodes, values, inputs)
    yield from input_strides(code, inputs)
    yield from input_dtypes(code)


def wraps(code: Source, nodes: list[ast.AST], values: Values, inputs: dict[str, ast.Call]) -> Iterator[Offer]:
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    written = in_place_targets(nodes)
    for node in operands(nodes):
        if values.kind(node) != "float":
            continue
        if isinstance(node, ast.Name) and node.id in written:
            continue
        choices = dict(WRAPS)
        if (
            isinstance(node, ast.Name)
            and node.id in inputs
            and node.id not in stored
            and len(inputs[node.id].args) >= 2
        ):
            choices |= RANKED_WRAPS
        for name, (before, after) in choices.items():
            start, end = code.start(node), code.end(node)
            yield "layout", name, f"{name} at line {node.lineno}", [(start, start, before), (end, end, after)]


def operands(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """First arguments of calls and sides of arithmetic: where a tensor is read and nothing else looks at it."""
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and node.args
            and isinstance(node.func, ast.Attribute)
            and not node.func.attr.endswith("_")
        ):
            if isinstance(node.args[0], (ast.Name, ast.Call)):
                yield node.args[0]
        elif isinstance(node, ast.BinOp):
            yield from (side for side in (node.left, node.right) if isinstance(side, (ast.Name, ast.Call)))


def in_place_targets(nodes: list[ast.AST]) -> set[str]:
    """Names something is written into: a copy in their place would change the program's meaning."""
    names: set[str] = set()
    for node in nodes:
        target: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            target = node.func.value
        elif isinstance(node, ast.AugAssign):
            target = node.target
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            target = node.value
        if target is not None:
            names |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    return names


def input_strides(code: Source, inputs: dict[str, ast.Call]) -> Iterator[Offer]:
    """The same sizes with other strides. `.view` may refuse such a tensor, so programs that use it are left alone."""
    if any(
        word in code.text for word in (".view(", "as_strided", "set_(", "view_as", ".data_ptr", "is_contiguous", "out=")
    ):
        return
    for name, call in inputs.items():
        rank, end = len(call.args), code.end(call)
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            continue
        if rank >= 2:
            text = ".transpose(-1, -2).contiguous().transpose(-1, -2)"
            yield "layout", "transposed", f"input {name} lies transposed", [(end, end, text)]
        if rank == 4:
            text = ".contiguous(memory_format=torch.channels_last)"
            yield "layout", "channels_last", f"input {name} lies channels-last", [(end, end, text)]
        if rank >= 1:
            text = ".repeat_interleave(2, -1)[..., ::2]"
            yield "layout", "strided", f"input {name} is every other column of a wider one", [(end, end, text)]


def input_dtypes(code: Source) -> Iterator[Offer]:
    """All random inputs to another floating type, where nothing else in the program has a type of its own."""
    model = code.class_named("Model")
    body = code.segment(model).split("def forward", 1)[-1] if model else ""
    calls = list(literal_inputs(code).values())
    everything = (
        code.text.replace("nn.Module", "").replace("import torch.nn", "").replace("torch.nn.functional as F", "")
    )
    forward = code.method("Model", "forward")
    if not calls or forward is None or len(calls) != len(forward.args.args) - 1:
        return
    if any(word in body for word in MIXING) or "nn." in everything or any(word in code.text for word in COMPLEX_WORDS):
        return
    for dtype in ("float64", "bfloat16", "float16"):
        if dtype == "float64" or not any(word in code.text for word in LOW_PRECISION_UNFIT):
            changes = [(code.end(call) - 1, code.end(call) - 1, f", dtype=torch.{dtype}") for call in calls]
            yield "dtype", dtype, f"inputs in {dtype}", changes
