"""Records what the compiler captures while a compiled mode runs: graphs, and operators by their overload names."""

import functools
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

# torch/_dynamo/output_graph.py, torch/_functorch/_aot_autograd/frontend_utils.py, torch/export/_trace.py
_LEFT_OUT = ("we found certain side effects", "must be registered as buffers", "not being able to track side effects")
# Libraries of operators that Inductor's passes write into graphs, with arguments that they have checked.
_OF_PASSES = {"mkl", "mkldnn", "mkldnn_prepacked", "onednn"}


class Captured:
    """Captures of one compiled mode."""

    def __init__(self) -> None:
        self.graphs = 0
        self._aten: set[str] = set()
        self._dynamo: set[str] = set()
        self._fallbacks: set[str] = set()
        self.features: set[str] = set()
        self.lowered: set[str] = set()
        self.decomposed: set[str] = set()
        self.seeded: set[str] = set()  # operators that draw random numbers
        self.private: set[str] = set()  # torch's own, called by the program itself

    @property
    def fallbacks(self) -> list[str]:
        """What made compiled code silently fall back to eager."""
        from torch._dynamo.utils import counters

        frames = counters["frames"]
        skipped = {"skipped_frames"} if frames["total"] > frames["ok"] else set()
        return sorted(self._fallbacks | skipped)

    def note(self, what: str) -> None:
        self._fallbacks.add(what)

    @property
    def operators(self) -> list[str]:
        """Operators after AOTAutograd; Dynamo's own if the compiler never got that far."""
        return sorted(self._aten or self._dynamo)

    def note_dynamo(self, graph_module: torch.fx.GraphModule) -> None:
        self.graphs += 1
        self._dynamo |= _operators(graph_module)
        self.private |= {str(node.target) for node in _nodes(graph_module) if _is_private(node.target)}

    def note_aten(self, graph_module: torch.fx.GraphModule) -> None:
        self._aten |= _operators(graph_module)
        self.seeded |= {str(node.target) for node in _calls(graph_module) if _draws_numbers(node)}


class _Listener(logging.Handler):
    """Dynamo reports only in its log that it gave up on a frame."""

    TELLTALES = (
        ("recompile_limit", "recompile_limit"),
        ("cache_size_limit", "recompile_limit"),
        ("WON'T CONVERT", "suppressed_error"),
        ("suppress_errors", "suppressed_error"),
    )

    def __init__(self, found: set[str]) -> None:
        super().__init__(logging.WARNING)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        text = f"{record.msg} {record.args}"
        self._found |= {name for telltale, name in self.TELLTALES if telltale in text}


_current: Captured | None = None


@contextmanager
def watching() -> Iterator[Captured]:
    global _current
    captured = Captured()
    _current = captured
    listener = _Listener(captured._fallbacks)
    logger = logging.getLogger("torch._dynamo")
    logger.addHandler(listener)
    try:
        yield captured
    finally:
        logger.removeHandler(listener)
        _current = None


def note_graph(graph_module: torch.fx.GraphModule) -> None:
    """A graph that Inductor compiles without Dynamo before it."""
    if _current is not None:
        _current.note_dynamo(graph_module)
        _current.note_aten(graph_module)


@contextmanager
def noting_side_effects() -> Iterator[None]:
    """Used around an export: records what it warns to have left out."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
    if any(words in str(each.message) for each in said for words in _LEFT_OUT):
        note("side_effects")


def note(what: str) -> None:
    """Adds to the ways in which compiled code fell back to eager (oracle/run_record.h)."""
    if _current is not None:
        _current.note(what)


def note_lowered(operator: str) -> None:
    if _current is not None:
        _current.lowered.add(operator)


def note_feature(feature: str) -> None:
    if _current is not None:
        _current.features.add(feature)


def note_decomposed(operator: str) -> None:
    if _current is not None:
        _current.decomposed.add(operator)


def _operators(graph_module: Any) -> set[str]:
    names: set[str] = set()
    for node in _nodes(graph_module):
        if node.op == "call_method":
            names.add(f"Tensor.{node.target}")
        elif node.op == "call_function" and _is_operator(node.target):
            names.add(_name(node.target))
    return names


def _calls(graph_module: Any) -> Iterator[Any]:
    return (node for node in _nodes(graph_module) if isinstance(node.target, torch._ops.OpOverload))


def _draws_numbers(node: Any) -> bool:
    """Attention has the tag because of its dropout, which most calls do not use."""
    if torch.Tag.nondeterministic_seeded not in node.target.tags:
        return False
    for place, argument in enumerate(node.target._schema.arguments):
        if argument.name == "dropout_p":
            given = node.args[place] if place < len(node.args) else argument.default_value
            return node.kwargs.get("dropout_p", given) != 0
    return True


def _nodes(graph_module: Any) -> Iterator[Any]:
    """Including those of nested graphs."""
    for module in graph_module.modules():
        yield from getattr(getattr(module, "graph", None), "nodes", ())


def _is_private(target: Any) -> bool:
    """Whether it is for torch's own use; not what Python's & calls (aten::__and__) or Dynamo itself writes
    (aten::_assert_scalar)."""
    if isinstance(target, torch._ops.OpOverload):
        library, _, name = target._schema.name.partition("::")
    elif isinstance(target, torch._ops.OpOverloadPacket):  # a program need not name the overload
        library, _, name = target._qualified_op_name.partition("::")
    else:
        return False
    if library in _OF_PASSES:
        return True
    return name.startswith("_") and not name.startswith(("__", "_assert_"))


def _is_operator(target: Any) -> bool:
    module = getattr(target, "__module__", "") or ""
    return (
        isinstance(target, torch._ops.OperatorBase)
        or module.startswith(("torch", "_operator"))
        and _name(target) not in ("_operator.getitem",)
    )


def _name(target: Any) -> str:
    if isinstance(target, torch._ops.OperatorBase):
        return str(target)
    return f"{target.__module__}.{getattr(target, '__name__', type(target).__name__)}"


def install() -> None:
    """Wraps the two places that every captured graph passes. Once per process, before its state is fingerprinted."""
    from torch._dynamo import output_graph
    from torch._inductor import compile_fx

    _wrap(output_graph.OutputGraph, "call_user_compiler", 1, "note_dynamo")
    _wrap(compile_fx, "fx_codegen_and_compile", 0, "note_aten")


def _wrap(owner: Any, name: str, position: int, note: str) -> None:
    original = getattr(owner, name, None)
    if original is None or hasattr(original, "parityd_wrapped"):
        return

    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if _current is not None and len(args) > position:
            getattr(_current, note)(args[position])
        return original(*args, **kwargs)

    wrapper.parityd_wrapped = True
    setattr(owner, name, wrapper)
