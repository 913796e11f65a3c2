"""Which graphs Inductor compiles. If nearly everything in a graph was compiled before, for programs that then agreed
with eager, Inductor processes it up to the text of its code and eager kernels run it: the C++ or Triton compiler takes
most of the time and would see little that is new."""

import functools
import hashlib
import operator
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

MOST_FRESH = 4000  # sent for one run; those left out count as fresh the next time, too
_PLAIN = (bool, type(None), str, torch.dtype, torch.device, torch.layout, torch.memory_format)


class Everything:
    """Contains every form: nothing is compiled."""

    def __contains__(self, _form: object) -> bool:
        return True


class Graphs:
    """The graphs of one run. `known`: forms that were compiled before; None: their forms do not matter, and all graphs
    are compiled. All are also compiled if the first has at least `compile_from` fresh forms, thus always with 0.
    `settings`: what else affects the code; a form known under other settings is fresh."""

    def __init__(
        self, known: Container[int] | None, compile_from: int, settings: str = "", uncompiled: str = ""
    ) -> None:
        """`uncompiled`: "forward" or "backward": run those graphs with eager kernels before Inductor's last passes."""
        self.uncompiled = uncompiled
        self._known = known
        self._compile_from = compile_from
        self._settings = settings
        self._forms = 0
        self._fresh: set[int] = set()
        self._interpreted = 0

    def stands_for_code(self, graph: torch.fx.GraphModule) -> bool:
        """Whether the graph itself is run instead of its code."""
        if self._known is None:
            return False
        try:
            forms = {_number(self._settings + form) for form in forms_of(graph)}
        except Exception:  # a graph that cannot even be described is compiled; that is not the program's fault
            return False
        self._forms += len(forms)
        self._fresh |= {form for form in forms if form not in self._known}
        return self._interpreted > 0 or len(self._fresh) < self._compile_from

    def note_interpreted(self) -> None:
        self._interpreted += 1

    def told(self) -> dict[str, Any]:
        """Part of the evidence (docs/protocol.md)."""
        fresh = sorted(self._fresh)[:MOST_FRESH]
        return {"graph_forms": self._forms, "graph_fresh": fresh, "graph_interpreted": self._interpreted}


def forms_of(graph: torch.fx.GraphModule) -> Iterator[str]:
    """Much of what code generation depends on: each call with the kinds of its operands and its result, and each pair
    of calls that could be fused, with the kind of the value passed between them."""
    for module in graph.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            if node.op == "call_function":
                operands = [_operand(value) for value in _flat((node.args, node.kwargs))]
                yield f"{_name(node)}({', '.join(operands)}) -> {_kind(node.meta.get('val'))}"
                for producer in node.all_input_nodes:
                    if producer.op == "call_function":
                        yield f"{_name(producer)} -> {_kind(producer.meta.get('val'))} -> {_name(node)}"
            elif node.op == "output":
                for value in _flat(node.args):
                    if isinstance(value, torch.fx.Node):
                        yield f"{_name(value)} -> {_operand(value)} -> end"


def _name(node: torch.fx.Node) -> str:
    """The same in every process."""
    if node.op != "call_function":
        return node.op
    if isinstance(node.target, torch._ops.OperatorBase):
        return str(node.target)
    return (
        f"{getattr(node.target, '__module__', '')}.{getattr(node.target, '__qualname__', type(node.target).__name__)}"
    )


def _flat(arguments: Any) -> list[Any]:
    return torch.utils._pytree.tree_leaves(arguments, is_leaf=lambda value: isinstance(value, torch.fx.Node))


def _operand(value: Any) -> str:
    if isinstance(value, torch.fx.Node):
        return _kind(value.meta.get("val"))
    if isinstance(value, _PLAIN):
        return repr(value)
    return _size(value) if isinstance(value, (int, float)) else type(value).__name__


def _kind(value: Any) -> str:
    """A tensor's dtype, and the part of its shape and layout that affects loops, but not its sizes."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_kind(each) for each in value)}]"
    if not isinstance(value, torch.Tensor):
        return type(value).__name__
    if value.layout != torch.strided:
        return f"{value.dtype} {value.layout}"
    sizes = sorted({_size(size) for size in value.shape})
    return f"{value.device.type} {value.dtype} {min(value.dim(), 3)}d {' '.join(sizes)} {_layout(value)}"


def _size(value: Any) -> str:
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return "s"
    if isinstance(value, float):
        return "float" if value == value and abs(value) != float("inf") else str(value)
    return str(value) if value in (-1, 0, 1) else "big" if abs(value) >= 1 << 31 else "n"


def _layout(value: torch.Tensor) -> str:
    if any(isinstance(number, torch.SymInt) for number in (*value.shape, *value.stride())):
        return "symbolic"
    if value.is_contiguous():
        return "contiguous"
    dense = 1
    for stride, size in sorted(zip(value.stride(), value.shape, strict=True)):
        if size != 1 and stride != dense:
            return "repeated" if stride == 0 else "gaps"
        dense *= size
    return "permuted"


def _number(form: str) -> int:
    """52 bits, which any JSON reader can hold."""
    return int.from_bytes(hashlib.blake2b(form.encode(), digest_size=8).digest(), "big") >> 12


_DRAWS = ("inductor_random", "inductor_randint")
_PUTS = ("index_put", "index_put_", "_unsafe_index_put", "_unsafe_index_put_")


class _Interpreter(torch.fx.Interpreter):
    """Draws random numbers from their seed, as compiled code does, so that a recomputation for backward draws the same
    ones. Casts that lowering does implicitly are made explicit, because eager kernels refuse such operands."""

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        name = target._opname if _is_of_torch(target) else ""
        if name in _DRAWS:
            return _drawn(name, *args)
        if name in _PUTS:
            args = _cast_as_lowering_does(*args)
        return super().call_function(target, args, kwargs)


def _is_of_torch(target: Any) -> bool:
    return isinstance(target, torch._ops.OpOverload) and target.namespace in ("aten", "prims")


def _drawn(name: str, *args: Any) -> torch.Tensor:
    if name == "inductor_random":
        size, seed, mode, *_ = args
        return getattr(torch, mode)(size, generator=_generator(seed), device=seed.device, dtype=torch.float32)
    low, high, size, seed, *_ = args
    return torch.randint(low, high, size, generator=_generator(seed), device=seed.device, dtype=torch.int64)


def _generator(seed: torch.Tensor) -> torch.Generator:
    return torch.Generator(seed.device).manual_seed(int(seed.flatten()[0]))


def _cast_as_lowering_does(destination: torch.Tensor, indices: Any, values: torch.Tensor, *rest: Any) -> tuple:
    """If an index is a mask and there are several values, lowering leaves the call to the eager kernel."""
    masked = any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in indices)
    if not masked or values.numel() == 1:
        values = values.to(destination.dtype)
    return destination, indices, values, *rest


_current: Graphs | None = None


@contextmanager
def watched(graphs: Graphs) -> Iterator[None]:
    global _current
    _current = graphs
    try:
        yield
    finally:
        _current = None


class _Generated(BaseException):
    """The code of a graph exists as text. Not an Exception, so that nothing in Inductor treats it as an error."""


_text_of: torch.fx.GraphModule | None = None


@contextmanager
def _as_text(graph: torch.fx.GraphModule) -> Iterator[None]:
    """For this graph only: autotuning compiles others along the way."""
    global _text_of
    _text_of, before = graph, _text_of
    try:
        yield
    finally:
        _text_of = before


def install() -> None:
    """Wraps the place where a graph becomes code. Once per process, before its state is fingerprinted."""
    from torch._inductor import compile_fx
    from torch._inductor.graph import GraphLowering
    from torch._inductor.output_code import OutputCode

    compiled, to_module = compile_fx.fx_codegen_and_compile, getattr(GraphLowering, "compile_to_module", None)
    if to_module is None or hasattr(compiled, "parityd_stand_in"):
        return  # a torch that does this differently compiles everything

    class Interpreted(OutputCode):
        """For a graph that Inductor's passes have processed."""

        def __init__(self, graph: torch.fx.GraphModule) -> None:
            self._boxed_call = True
            self._graph = graph

        def __call__(self, inputs: Sequence[Any]) -> Any:
            arguments = list(inputs)
            inputs.clear()  # type: ignore[attr-defined]  # as compiled code does: what it was given may go before it ends
            with torch.no_grad():
                return _Interpreter(self._graph).run(*arguments)

        def post_compile(self, *_arguments: Any, **_named: Any) -> None:
            pass

        def set_triton_bundle(self, _bundle: Any) -> None:
            pass

    @functools.wraps(compiled)
    def run_or_compiled(graph: torch.fx.GraphModule, *rest: Any, **settings: Any) -> Any:
        if _current is not None and _current.uncompiled == _pass_of(settings):
            _refuse_what_only_code_can_do(graph)
            return Interpreted(graph)
        if _current is None or not _current.stands_for_code(graph):
            return compiled(graph, *rest, **settings)
        _current.note_interpreted()  # before any part of it can fail
        try:
            with _as_text(graph):
                return compiled(graph, *rest, **settings)  # reached with a torch that lowers a copy
        except _Generated:
            _refuse_what_only_code_can_do(graph)
            return Interpreted(graph)

    @functools.wraps(to_module)
    def module_or_text(lowering: GraphLowering, *arguments: Any, **named: Any) -> Any:
        if _text_of is None or lowering.module is not _text_of:
            return to_module(lowering, *arguments, **named)
        generate = lowering.codegen_with_cpp_wrapper if lowering.cpp_wrapper else lowering.codegen
        generate()
        raise _Generated

    run_or_compiled.parityd_stand_in = True  # type: ignore[attr-defined]
    compile_fx.fx_codegen_and_compile = run_or_compiled
    GraphLowering.compile_to_module = module_or_text


def _pass_of(settings: dict[str, Any]) -> str:
    """Compiled autograd compiles what it has traced like a forward graph."""
    from torch._dynamo import compiled_autograd

    traced = getattr(compiled_autograd, "in_compiled_autograd_region", False)
    return "backward" if traced or settings.get("is_backward") else "forward"


def installed() -> bool:
    from torch._inductor import compile_fx

    return hasattr(compile_fx.fx_codegen_and_compile, "parityd_stand_in")


def _refuse_what_only_code_can_do(graph: torch.fx.GraphModule) -> None:
    """Raises for graphs that only compiled code can run: passes add calls that no eager kernel can run, lowering takes
    weights out of the graph, and graphs nested in it do not draw from their seed. A screening run that this ends is
    repeated, compiled."""
    for name, module in graph.named_modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            drawn = name and _is_of_torch(node.target) and node.target._opname in _DRAWS
            if drawn or hasattr(node.target, "_inductor_lowering_function"):
                raise NotImplementedError(f"only lowering knows {node.target}")
            if node.op == "get_attr":
                operator.attrgetter(node.target)(module)  # AttributeError
