"""Writes catalogues/passes.jsonl: passes, rewrites, decompositions and lowerings of the installed torch, as facts.

    python prompts/make_catalogues/passes.py prompts/catalogues/passes.jsonl

What stands there comes from torch itself: what is registered, where, for which operators, and which properties its
source looks at (guards.py). notes.json adds what we know of some of them beyond that, in our own words; a note about
something this torch does not have is reported and left out. Nothing is copied from torch's comments or code.
"""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import json
import os
import pathlib
import pkgutil
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import guards

warnings.simplefilter("ignore")
import torch  # noqa: E402
import torch._inductor.compile_fx  # noqa: E402
import torch._inductor.fx_passes as fx_passes  # noqa: E402
from torch._inductor import decomposition, lowering, pattern_matcher  # noqa: E402

ROOT = pathlib.Path(torch.__file__).parent
LEAD = "The part of the compiler to aim at:"
ENTRY = (
    "{{kind}} `{{name}}` ({{where}}).{{#operators}} It acts on: {{operators}}.{{/operators}}"
    "{{#looks}} Before it acts it looks at: {{looks}}.{{/looks}}{{#note}} {{note}}{{/note}}"
    "{{#vary}} Inside and just outside: {{vary}}.{{/vary}}"
)
# Parts that serve what programs here cannot be: several processes, quantised models, other vendors' back ends.
SKIPPED_MODULES = guards.words(
    "quantization bucketing micro_pipeline_tp fsdp ddp_fusion overlap decomp_comms memory_estimator spmd_check "
    "low_contention node_runtime profile_guided graph_view numeric_utils fusion_regions control_dependencies"
)
OPERATOR_CAP = 8
# Operators no program here calls, by the beginnings of their names.
SKIPPED_OPERATORS = guards.words(
    "quantized_decomposed. rngprims. fsdp. torch.ops.higher_order. prims.inductor mkldnn. onednn. "
    "aten._scaled aten._grouped aten._sparse aten._int_mm aten.sym_ prims.iota prims.philox"
)
# A decomposition or lowering that looks at less than this is too plain to be wrong at a guard.
LEAST_LOOKS = 2


@dataclass
class Part:
    """One entry before it is told."""

    kind: str
    functions: list[Callable[..., Any]]  # the first names it
    operators: set[str] = field(default_factory=set)
    calls: list[str] = field(default_factory=list)  # of a search function, in their order
    guard: Callable[..., Any] | None = None

    def name(self) -> str:
        return self.functions[0].__qualname__.replace(".<locals>", "")

    def where(self) -> str:
        function = inspect.unwrap(self.functions[0])
        file = pathlib.Path(inspect.getsourcefile(function) or "")
        return f"{file.relative_to(ROOT.parent)}:{inspect.getsourcelines(function)[1]}"


def skipped(module: str) -> bool:
    return any(part in module for part in SKIPPED_MODULES)


def operator_name(target: Any) -> str:
    """`aten.add`, `torch.cat`, `.view`: overloads of one operator are one."""
    if isinstance(target, torch._ops.OpOverload):
        return str(target).rsplit(".", 1)[0]
    if isinstance(target, torch._ops.OpOverloadPacket):
        return str(target)
    if isinstance(target, str):
        return f".{target}"
    module = (getattr(target, "__module__", "") or "").removesuffix("._C._nn").replace("_operator", "operator")
    return f"{module}.{getattr(target, '__name__', '?')}" if module else getattr(target, "__name__", str(target))


def pattern_operators(pattern: Any, seen: set[int]) -> Iterator[str]:
    """Every operator that a pattern's expression names."""
    if id(pattern) in seen:
        return
    seen.add(id(pattern))
    if isinstance(pattern, (list, tuple)):
        for each in pattern:
            yield from pattern_operators(each, seen)
    elif isinstance(pattern, dict):
        yield from pattern_operators(list(pattern.values()), seen)
    elif isinstance(pattern, pattern_matcher.PatternExpr):
        for target in getattr(pattern, "fns", ()) or ():
            yield operator_name(target)
        for name in ("args", "kwargs", "outputs", "pattern", "inner_pattern"):
            yield from pattern_operators(getattr(pattern, name, None), seen)


def load_everything() -> None:
    for module in pkgutil.walk_packages(fx_passes.__path__, fx_passes.__name__ + "."):
        try:
            importlib.import_module(module.name)
        except Exception as error:  # a pass for hardware that is not here
            print(f"left out {module.name}: {type(error).__name__}", file=sys.stderr)
    for name in ("joint_graph", "post_grad", "pre_grad", "pad_mm", "fuse_attention", "misc_patterns"):
        module = importlib.import_module(f"{fx_passes.__name__}.{name}")
        for start in ("lazy_init", "_pad_mm_init", "_sfdp_init", "_misc_patterns_init"):
            initialise = getattr(module, start, None)
            if initialise is None:
                continue
            try:
                takes = len(inspect.signature(initialise).parameters)
                initialise(*[torch.device("cpu")] * takes)
            except Exception as error:
                print(f"left out {name}.{start}: {type(error).__name__}: {error}", file=sys.stderr)


def registered_patterns() -> Iterator[Part]:
    """What pattern matchers hold; all entries of one handler or search function are one part."""
    passes = [o for o in gc.get_objects() if isinstance(o, pattern_matcher.PatternMatcherPass)]
    parts: dict[str, Part] = {}
    for matcher in passes:
        for entry in (entry for entries in matcher.patterns.values() for entry in entries):
            handler = getattr(entry, "handler", None)
            if handler is None:  # a search function traced to a pattern: its check knows it
                known = inspect.getclosurevars(entry.extra_check).nonlocals if entry.extra_check else {}
                handler, check = known.get("search_fn"), known.get("extra_check")
            else:
                check = entry.extra_check
            if not callable(handler) or skipped(getattr(handler, "__module__", "quantization")):
                continue
            if not hasattr(handler, "__qualname__"):
                handler = getattr(handler, "func", None)
                if handler is None:
                    continue
            named = check is not None and check is not getattr(pattern_matcher, "_return_true", None)
            key = f"{handler.__module__}.{handler.__qualname__}"
            part = parts.setdefault(key, Part("rewrite", [handler], guard=check if named else None))
            part.operators |= set(pattern_operators(entry.pattern, set()))
            part.calls = part.calls or (calls_in_order(handler) if getattr(entry, "handler", None) is None else [])
    yield from parts.values()


def calls_in_order(function: Callable[..., Any]) -> list[str]:
    """What a search function calls, as it stands there: the pattern it describes."""
    tree = guards.source_tree(function)
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)] if tree is not None else []
    calls.sort(key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0))
    names = [n.func.attr if isinstance(n.func, ast.Attribute) else ast.unparse(n.func) for n in calls]
    return list(dict.fromkeys(name for name in names if name.isidentifier() and not name.startswith("_")))


def neutral_operators() -> Iterator[Part]:
    """Operators dropped where they change nothing, by the condition under which that is believed."""
    registry = importlib.import_module(f"{fx_passes.__name__}.post_grad").noop_registry
    parts: dict[str, Part] = {}
    for target, (condition, _) in registry.items():
        parts.setdefault(condition.__qualname__, Part("removal", [condition])).operators.add(operator_name(target))
    yield from parts.values()


def whole_graph_passes() -> Iterator[Part]:
    """Functions over a graph that the three drivers call, other than through a pattern matcher."""
    for module_name in ("pre_grad", "joint_graph", "post_grad"):
        module = importlib.import_module(f"{fx_passes.__name__}.{module_name}")
        for driver in (f"{module_name}_passes", "_run_pre_dispatch_passes"):
            function = getattr(module, driver, None)
            tree = guards.source_tree(function) if function else None
            for name in sorted(set(guards.names_read(tree))) if tree is not None else ():
                callee = getattr(module, name, None)
                ours = inspect.isfunction(callee) and callee.__module__.startswith(fx_passes.__name__)
                if ours and name != driver and not skipped(callee.__module__):
                    yield Part("pass", [callee])


def fusions() -> Iterator[Part]:
    """Group and batch fusions, found as subclasses of their base."""
    module = importlib.import_module(f"{fx_passes.__name__}.group_batch_fusion")
    for value in vars(module).values():
        if inspect.isclass(value) and issubclass(value, module.GroupBatchFusionBase) and "match" in vars(value):
            yield Part("fusion", [value, value.match])


def by_function(table: dict[Any, Any], kind: str, modules: tuple[str, ...]) -> Iterator[Part]:
    """Entries of a table of operators, those of one function together."""
    parts: dict[str, Part] = {}
    for target, function in table.items():
        function = inspect.unwrap(function)
        if not inspect.isfunction(function) or not function.__module__.startswith(modules):
            continue
        if "<lambda>" in function.__qualname__ or "<locals>" in function.__qualname__:
            continue
        key = f"{function.__module__}.{function.__qualname__}"
        parts.setdefault(key, Part(kind, [function])).operators.add(operator_name(target))
    yield from (part for part in parts.values() if len(guards.looked_at(*part.functions)) >= LEAST_LOOKS)


def scheduling() -> Iterator[Part]:
    """Decisions of the scheduler and of code generation that bugs came from: methods by the words in their names."""
    wanted = ("fuse", "fusion", "inplace", "reorder", "split", "tiling", "reuse", "vectoriz")
    for module_name in (
        "scheduler",
        "codegen.simd",
        "codegen.cpp",
        "codegen.triton",
        "memory",
        "codegen.memory_planning",
    ):
        module = importlib.import_module(f"torch._inductor.{module_name}")
        for owner in (v for v in vars(module).values() if inspect.isclass(v) and v.__module__ == module.__name__):
            for name, method in vars(owner).items():
                decides = any(word in name for word in wanted) and name.startswith(
                    ("can_", "try_", "decide", "should", "is_")
                )
                if inspect.isfunction(method) and decides and len(guards.looked_at(method)) >= 1:
                    yield Part("decision", [method])


def parts() -> Iterator[Part]:
    load_everything()
    yield from registered_patterns()
    yield from neutral_operators()
    yield from whole_graph_passes()
    yield from fusions()
    yield from scheduling()
    yield from by_function(decomposition.decompositions, "decomposition", ("torch._inductor.decomposition",))
    yield from by_function(lowering.lowerings, "lowering", ("torch._inductor",))


def told(part: Part, notes: dict[str, str]) -> dict[str, Any]:
    looks = guards.looked_at(*part.functions, part.guard)
    switches = guards.switches(*part.functions, part.guard)
    operators = part.calls or sorted(part.operators)
    entry: dict[str, Any] = {"name": part.name(), "kind": part.kind, "where": part.where()}
    entry |= {"operators": operators[:OPERATOR_CAP], "looks": looks}
    if switches:
        entry["settings"] = switches[:6]
    if part.name() in notes:
        entry["note"] = notes[part.name()]
    entry["vary"] = guards.vary(looks)
    return entry


def main() -> None:
    target = pathlib.Path(sys.argv[1])
    notes = json.loads((pathlib.Path(__file__).parent / "notes.json").read_text())
    found: dict[str, dict[str, Any]] = {}
    for part in parts():
        if part.operators and all(name.startswith(SKIPPED_OPERATORS) for name in part.operators):
            continue
        try:
            entry = told(part, notes)
        except (OSError, TypeError, ValueError):
            continue  # made at run time: nowhere to point at
        name = f"{entry['kind']}:{entry['name']}"
        if entry["looks"] or "note" in entry:
            found.setdefault(name, entry)
    header = {"lead": LEAD, "entry": ENTRY, "torch": torch.__version__.split("+")[0]}
    order = sorted(found.values(), key=lambda entry: (entry["kind"], entry["name"]))
    target.write_text("".join(json.dumps(row) + "\n" for row in [header, *order]))
    for name in sorted(set(notes) - {entry["name"] for entry in order}):
        print(f"no such part in torch {torch.__version__}: {name}", file=sys.stderr)
    kinds = [entry["kind"] for entry in order]
    print({kind: kinds.count(kind) for kind in sorted(set(kinds))}, "noted:", sum("note" in e for e in order))
    sys.stdout.flush()
    os._exit(0)  # torch's own threads are slow to end


if __name__ == "__main__":
    main()
