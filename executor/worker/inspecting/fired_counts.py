"""Counts what fired while a program was compiled: lowerings, decompositions, rewrites, passes, kernels, fallbacks."""

import collections
import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import capture
import coverage
from fired_trace import Trace

_EXTERN = re.compile(r"\bextern_kernels\.(\w+)\(")
_ENTRIES = ("LoweringPatternEntry", "GraphPatternEntry", "ReplacementPatternEntry")


class Counts:
    """While `watching`, `counts` grows, and the trace is told the operator."""

    def __init__(self, trace: Trace) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.handlers: dict[str, Any] = {}  # of the rewrites that matched: functions
        self.begun: set[str] = set()  # operators whose lowering began, even if it raised
        self._trace = trace

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        from torch._dynamo.utils import counters
        from torch._inductor import ir, metrics, pattern_matcher
        from torch._inductor.graph import GraphLowering
        from torch.fx.experimental import proxy_tensor
        from torch.fx.passes.graph_transform_observer import GraphTransformObserver

        before = dict(counters["graph_break"])
        kernels, vector = metrics.generated_kernel_count, metrics.generated_cpp_vec_kernel_count
        with contextlib.ExitStack() as stack:
            for kind in _ENTRIES:
                self._around(stack, getattr(pattern_matcher, kind, None), "apply", self._rewrite)
            self._around(stack, GraphLowering, "call_function", self._lowered)
            if hasattr(GraphLowering, "save_output_code"):  # a hook; what it returns is not used
                stack.enter_context(mock.patch.object(GraphLowering, "save_output_code", self._written))
            self._around(stack, proxy_tensor, "maybe_handle_decomp", self._decomposed)
            self._around(stack, capture, "note_decomposed", self._note_decomposed)
            self._around(stack, GraphTransformObserver, "apply_graph_pass", self._passed)
            self._around(stack, GraphTransformObserver, "apply_gm_pass", self._passed)
            self._around(stack, getattr(ir, "FallbackKernel", None), "__init__", self._fell_back)
            try:
                yield
            finally:
                breaks = sum(counters["graph_break"].values()) - sum(before.values())
                self.counts["graph_breaks"] = breaks
                self.counts["kernels"] = metrics.generated_kernel_count - kernels
                self.counts["vector_kernels"] = metrics.generated_cpp_vec_kernel_count - vector

    def _around(self, stack: contextlib.ExitStack, owner: Any, name: str, instead: Callable[..., Any]) -> None:
        original = getattr(owner, name, None)
        if original is None:  # what this torch does not have is not counted
            return

        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return instead(original, *args, **kwargs)

        stack.enter_context(mock.patch.object(owner, name, wrapper))

    @contextlib.contextmanager
    def _working_on(self, operator: str) -> Iterator[None]:
        self._trace.operator, before = operator, self._trace.operator
        try:
            yield
        finally:
            self._trace.operator = before

    def _rewrite(self, original: Callable[..., Any], entry: Any, match: Any, *args: Any, **kwargs: Any) -> Any:
        name = coverage._pattern_name(entry).removeprefix("pattern:")
        self.counts[f"rewrite:{name}"] += 1
        self.handlers[name] = getattr(entry, "handler", None)
        with self._working_on(f"rewrite:{name}"):
            return original(entry, match, *args, **kwargs)

    def _lowered(self, original: Callable[..., Any], graph: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
        self.begun.add(_name(target))
        fallback = f"fallback:{target}"
        before = self.counts[fallback]
        with self._working_on(str(target)):
            result = original(graph, target, *args, **kwargs)
        if self.counts[fallback] == before:
            self.counts[f"lowering:{_name(target)}"] += 1
        return result

    def _fell_back(
        self, original: Callable[..., Any], node: Any, layout: Any, kernel: Any, *args: Any, **kwargs: Any
    ) -> Any:
        self.counts[f"fallback:{_name(kernel)}"] += 1
        return original(node, layout, kernel, *args, **kwargs)

    def _decomposed(self, original: Callable[..., Any], mode: Any, operator: Any, *args: Any, **kwargs: Any) -> Any:
        with self._working_on(str(operator)):
            return original(mode, operator, *args, **kwargs)

    def _note_decomposed(self, original: Callable[..., Any], operator: str) -> None:
        self.counts[f"decomposition:{operator}"] += 1
        original(operator)

    def _passed(self, original: Callable[..., Any], observer: Any, function: Any) -> Any:
        before = _content(observer.gm)
        result = original(observer, function)
        if _content(observer.gm) != before:
            name = str(getattr(observer, "passname", ""))
            self.counts[f"pass:{name}"] += 1
            self.handlers[f"pass:{name}"] = function
        return result

    def _written(self, code: str) -> None:
        for name in _EXTERN.findall(code):
            self.counts[f"extern:{name}"] += 1


def _name(target: Any) -> str:
    return str(target) if "." in str(target) and " " not in str(target) else getattr(target, "__name__", "unnamed")


def _content(module: Any) -> list[tuple[Any, ...]]:
    return [(node.op, str(node.target), node.name, str(node.args), str(node.kwargs)) for node in module.graph.nodes]
