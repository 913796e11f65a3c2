"""What the compiler reports about its work on a program, as named features: a program that shows a new one reached new
code. Each place is watched at a point the compiler passes once per compilation, so the cost is too small to measure."""

import functools
import gc
import re
from collections.abc import Callable, Iterable
from typing import Any

import capture
import torch

MOST_FEATURES = 500
NAME_CAP = 120
# About caches and timings, not about what was compiled.
_NOT_BEHAVIOUR = ("cache", "benchmark", "async_compile", "precompil", "triton_bundler", "calls_captured")
_NAMESPACES = ("aten", "prims")
_passes: list[Any] = []  # of the pattern matcher; they are filled when the first graph arrives
_COUNTERS = ("inductor", "aot_autograd", "stats", "aten_mm_info", "compiled_autograd")


def install() -> None:
    """Once per process, before its state is fingerprinted. What this torch does not have is not watched."""
    from torch._dynamo import guards
    from torch._inductor import pattern_matcher, scheduler

    _passes.extend(thing for thing in gc.get_objects() if type(thing) is pattern_matcher.PatternMatcherPass)
    for kind in ("LoweringPatternEntry", "GraphPatternEntry", "ReplacementPatternEntry"):
        _watch(getattr(pattern_matcher, kind, None), "apply", _note_pattern)
    _watch(getattr(scheduler, "WhyNoFuse", None), "__call__", _note_refusal)
    _watch(getattr(guards, "CheckFunctionManager", None), "__init__", _note_guards)


def _watch(owner: Any, name: str, note: Callable[..., None]) -> None:
    original = getattr(owner, name, None)
    if original is None or hasattr(original, "parityd_wrapped"):
        return

    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        note(*args, **kwargs)
        return original(*args, **kwargs)

    wrapper.parityd_wrapped = True
    setattr(owner, name, wrapper)


def _note_pattern(entry: Any, match: Any, *_args: Any, **_kwargs: Any) -> None:
    capture.note_feature(_pattern_name(entry))


def _note_refusal(_why: Any, reason: Any, *_args: Any, **_kwargs: Any) -> None:
    capture.note_feature(f"fusion_refused:{reason}")


def _note_guards(_manager: Any, _code: Any = None, output_graph: Any = None, *_args: Any, **_kwargs: Any) -> None:
    for guard in getattr(output_graph, "guards", None) or ():
        capture.note_feature(f"guard:{guard.create_fn_name()}")


def _pattern_name(entry: Any) -> str:
    named = getattr(entry, "pattern_name", None)
    handler = getattr(entry, "handler", None)
    if named:
        return f"pattern:{named}"
    if handler is not None:
        module = getattr(handler, "__module__", "").rpartition(".")[2]
        return f"pattern:{module}.{getattr(handler, '__qualname__', type(handler).__name__)}"
    pattern = getattr(entry, "pattern", None)
    targets = sorted(str(target) for target in getattr(pattern, "fns", ()))
    return f"pattern:{type(pattern).__name__} {targets[0] if targets else ''}".rstrip()


def of_run(captured: capture.Captured) -> list[str]:
    """Features of the run that `captured` watched, sorted: "kind:name"; counts as "name#n" with n the number of binary
    digits."""
    found = set(captured.features)
    found |= {f"lowering:{operator}" for operator in captured.lowered}
    found |= {f"decomposition:{operator}" for operator in captured.decomposed}
    found |= set(_counted())
    return sorted(_plain(name) for name in found)[:MOST_FEATURES]


def _counted() -> Iterable[str]:
    from torch._dynamo.utils import counters
    from torch._inductor import metrics

    for group in _COUNTERS:
        for name, count in counters[group].items():
            if isinstance(count, int) and count > 0 and not any(word in str(name) for word in _NOT_BEHAVIOUR):
                # The sizes of a matrix product are not separate behaviour.
                plain = re.sub(r"(_\d+)+$", "", str(name)) if group == "aten_mm_info" else name
                yield f"counter:{group}.{plain}#{count.bit_length()}"
    for message in counters["graph_break"]:
        yield f"graph_break:{re.sub(r'[0-9]+', '#', str(message).strip().partition(chr(10))[0])}"
    for name, count in vars(metrics).items():
        if type(count) is int and count > 0:
            yield f"metric:{name}#{count.bit_length()}"


def _plain(name: str) -> str:
    return re.sub(r"[^\x20-\x7e]+", " ", name)[:NAME_CAP]


def all_known() -> list[str]:
    """Everything this torch could show of the kinds that it lists: lowerings, decompositions, patterns registered so
    far."""
    from torch._inductor import decomposition, lowering

    found = {f"lowering:{operator}" for operator in lowering.lowerings if _is_listed(operator)}
    found |= {f"decomposition:{operator}" for operator in decomposition.select_decomp_table() if _is_listed(operator)}
    found |= {_pattern_name(entry) for one in _passes for entries in one.patterns.values() for entry in entries}
    return sorted(_plain(name) for name in found)


def _is_listed(operator: Any) -> bool:
    return isinstance(operator, torch._ops.OpOverload) and operator.namespace in _NAMESPACES
