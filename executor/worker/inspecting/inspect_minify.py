"""The minifiers, in this process and with a limit. torch's own launcher starts a Python for every question it asks."""

import contextlib
import copy
import dataclasses
import difflib
import io
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from inspect_artefacts import without_environment
from inspect_missing import NotInTorch

if TYPE_CHECKING:
    from inspect_subject import Subject

MOST_QUESTIONS = 100
ALIKE = 0.5  # difflib's ratio above which torch's own minifier treats two messages as one error
MESSAGE_CAP = 1000  # difflib takes minutes for the messages of a C++ compiler

Fails = Callable[[torch.fx.GraphModule, list[Any]], bool]


class OutOfBudget(Exception):
    """No more questions: the smallest graph so far is the result."""


@dataclasses.dataclass
class Graph:
    """A captured graph with the values it was called with."""

    module: torch.fx.GraphModule
    inputs: list[Any]
    grad: bool


def minify_dynamo(subject: "Subject") -> None:
    only_forward = not subject.program.options.backward
    _minify(subject, _dynamo_graphs(subject), lambda graph: _raises_alike(graph, only_forward))


def accuracy_dynamo(subject: "Subject") -> None:
    only_forward = not subject.program.options.backward
    _minify(subject, _dynamo_graphs(subject), lambda _: lambda module, inputs: _differs(module, inputs, only_forward))


def minify_aot(subject: "Subject") -> None:
    _minify(subject, _aot_graphs(subject), lambda _: _after_aot("inductor_fails"))


def accuracy_aot(subject: "Subject") -> None:
    _minify(subject, _aot_graphs(subject), lambda _: _after_aot("inductor_accuracy_fails"))


# ---- what is captured


def _dynamo_graphs(subject: "Subject") -> list[Graph]:
    found: list[Graph] = []

    def backend(module: torch.fx.GraphModule, _: Any) -> Callable[..., Any]:
        return _recorded(module, found)

    subject.run(target=lambda observed, model: observed.compile(model, backend))
    return found


def _aot_graphs(subject: "Subject") -> list[Graph]:
    """What Inductor would be given, run by eager kernels, so that every graph gets its values, including those that
    fail."""
    from torch._inductor.compile_fx import compile_fx

    found: list[Graph] = []

    def inner(module: torch.fx.GraphModule, *_: Any, **__: Any) -> Callable[..., Any]:
        record = _recorded(module, found)

        def boxed(inputs: list[Any]) -> Any:
            given = list(inputs)
            inputs.clear()
            return record(*given)

        boxed._boxed_call = True  # type: ignore[attr-defined]
        return boxed

    def backend(module: torch.fx.GraphModule, examples: list[Any]) -> Callable[..., Any]:
        return compile_fx(module, examples, inner_compile=inner)

    subject.run(target=lambda observed, model: observed.compile(model, backend))
    return found


def _recorded(module: torch.fx.GraphModule, found: list[Graph]) -> Callable[..., Any]:
    kept = copy.deepcopy(module)
    seen = False

    def call(*inputs: Any) -> Any:
        nonlocal seen
        if not seen:
            found.append(Graph(kept, _cloned(inputs), torch.is_grad_enabled()))
            seen = True
        return module(*inputs)

    return call


def _cloned(inputs: Any) -> list[Any]:
    return [
        torch._dynamo.utils.clone_input(value.detach()).requires_grad_(value.requires_grad)
        if isinstance(value, torch.Tensor)
        else value
        for value in inputs
    ]


# ---- what is asked about a graph


def _raises_alike(graph: Graph, only_forward: bool) -> Fails:
    """The error of the whole graph is the one that a smaller graph must raise."""
    first = _error_of(graph.module, graph.inputs, only_forward)

    def fails(module: torch.fx.GraphModule, inputs: list[Any]) -> bool:
        message = _error_of(module, inputs, only_forward)
        return first is not None and message is not None and is_alike(first, message)

    return fails


def is_alike(first: str, message: str) -> bool:
    return difflib.SequenceMatcher(None, first, message).ratio() > ALIKE


def shown_error(outer: str, inner: str, message: str) -> str:
    return f"{outer}: {inner}: {message}"[:MESSAGE_CAP]


def _error_of(module: torch.fx.GraphModule, inputs: list[Any], only_forward: bool) -> str | None:
    """What the compiled graph raises although eager does not."""
    try:
        _run(module, inputs, only_forward)
    except Exception:
        return None
    try:
        _run(_compiled(module), inputs, only_forward)
    except Exception as error:
        inner = getattr(error, "inner_exception", error)
        return shown_error(type(error).__name__, type(inner).__name__, str(error))
    return None


def _differs(module: torch.fx.GraphModule, inputs: list[Any], only_forward: bool) -> bool:
    from torch._dynamo.debug_utils import cast_to_fp64

    try:
        eager = _run(module, inputs, only_forward)
        compiled = _run(_compiled(module), inputs, only_forward)
    except Exception:
        return False
    try:
        precise = _run(*cast_to_fp64(copy.deepcopy(module), _cloned(inputs)), only_forward)
    except Exception:
        precise = None
    return numbers_differ(eager, compiled, precise)


def numbers_differ(eager: Any, compiled: Any, precise: Any) -> bool:
    """According to torch's own comparison. `precise`: eager in double, if available."""
    import torch._dynamo.config as dynamo

    try:
        return not torch._dynamo.utils.same(eager, compiled, precise, tol=dynamo.repro_tolerance, equal_nan=True)
    except AssertionError:  # another structure
        return True


def _compiled(module: torch.fx.GraphModule) -> Callable[..., Any]:
    kept = copy.deepcopy(module)

    def call(*inputs: Any) -> Any:  # the frame of a graph module itself may be left uncompiled
        return kept(*inputs)

    torch._dynamo.reset()
    return torch.compile(call, backend="inductor")


def _run(callee: Callable[..., Any], inputs: list[Any], only_forward: bool) -> list[Any]:
    """The outputs and, unless `only_forward`, the gradients of the inputs for their sum."""
    torch.manual_seed(0)
    given = _cloned(inputs)
    outputs = callee(*given)
    told = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    if not only_forward:
        sent = [value for value in told if isinstance(value, torch.Tensor) and value.requires_grad]
        asked = [value for value in given if isinstance(value, torch.Tensor) and value.requires_grad]
        if sent and asked:
            told += torch.autograd.grad(sum(value.sum() for value in sent), asked, allow_unused=True)
    return [value.detach() if isinstance(value, torch.Tensor) else value for value in told]


def _after_aot(name: str) -> Fails:
    from torch._dynamo.repro import after_aot

    test = getattr(after_aot, name, None)
    if test is None:
        raise NotInTorch("minify-dynamo", f"{name} is gone")

    def fails(module: torch.fx.GraphModule, inputs: list[Any]) -> bool:
        torch.manual_seed(0)
        return bool(test(copy.deepcopy(module), _cloned(inputs)))

    return fails


# ---- making it smaller


def _minify(subject: "Subject", graphs: list[Graph], test_of: Callable[[Graph], Fails]) -> None:
    """Minifies the first graph that fails; if none does, shows the first graph."""
    if not graphs:
        subject.text.write("no graph was captured and called: there is nothing to minify\n")
        return
    whole = subject.observed()
    for number, graph in enumerate(graphs, 1):
        with whole.settings(), torch.set_grad_enabled(graph.grad), silent():
            fails = test_of(graph)
            at_fault = fails(graph.module, _cloned(graph.inputs))
            if at_fault:
                answer = _answer(graph, *_smaller(subject, graph, fails))
        if at_fault:
            subject.text.write(f"graph {number} of {len(graphs)} fails: {answer}")
            return
    subject.text.write(f"none of {len(graphs)} captured graphs fails; the first:\n{_readable(graphs[0].module)}\n")


def _answer(graph: Graph, smallest: torch.fx.GraphModule, inputs: list[Any], questions: int, why: str) -> str:
    """Still under the program's settings: the script sets what differs from torch's defaults."""
    sizes = f"{_size(graph.module)} nodes, after {questions} questions {_size(smallest)}{why}"
    return f"{sizes}\n{_readable(smallest)}\n{_script(smallest, inputs)}\n"


def _smaller(subject: "Subject", graph: Graph, fails: Fails) -> tuple[torch.fx.GraphModule, list[Any], int, str]:
    from functorch.compile import minifier

    best = [(graph.module, graph.inputs)]
    asked = 0

    def bounded(module: torch.fx.GraphModule, inputs: list[Any]) -> bool:
        nonlocal asked
        if asked >= MOST_QUESTIONS or time.monotonic() > subject.deadline:
            raise OutOfBudget
        asked += 1
        failed = fails(module, inputs)
        if failed and _size(module) < _size(best[-1][0]):
            best.append((copy.deepcopy(module), list(inputs)))
        return failed

    try:
        module, inputs = minifier(graph.module, _cloned(graph.inputs), bounded, dump_state=lambda *_: None)
        return module, list(inputs), asked, ""
    except OutOfBudget:
        return *best[-1], asked, ", and the budget is spent"
    except Exception as error:  # it cannot handle every graph; what has failed so far still fails
        return *best[-1], asked, f"; then torch's minifier gave up: {type(error).__name__}: {error}"


@contextlib.contextmanager
def silent() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _size(module: torch.fx.GraphModule) -> int:
    return len(module.graph.nodes)


def _readable(module: torch.fx.GraphModule) -> str:
    return module.print_readable(print_output=False)


def _script(module: torch.fx.GraphModule, inputs: Any) -> str:
    """A script that shows it, as torch writes it. If torch cannot, the graph alone."""
    from torch._dynamo.repro.after_aot import save_graph_repro

    text = io.StringIO()
    try:
        save_graph_repro(text, module, inputs, "inductor", save_dir=None)
    except Exception as error:
        return f"no script: {type(error).__name__}: {error}"
    return without_environment(text.getvalue())
