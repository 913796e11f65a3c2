"""Lifts a captured graph to double. Its floating values are carried in double; what the program itself casts to a
narrower type is rounded to that type, and then carried in double as well. So two floating values never meet in
different types, however the program mixes them. Integers, booleans and indices are left alone."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from device import DOUBLES
from torch.utils._pytree import tree_leaves

_CASTS = {"to", "type", "type_as", "float", "half", "bfloat16", "double", "cfloat", "chalf", "cdouble"}
_CASTS |= {"_to_copy", "convert_element_type"}
_STEPS = {"arange", "linspace", "logspace", "range"}  # each value is computed, so in double
_RANDOM = {"rand_like", "randn_like", "bernoulli", "normal", "multinomial", "poisson"}
_RANDOM_IN_PLACE = {"uniform_", "normal_", "bernoulli_", "exponential_", "cauchy_", "log_normal_", "geometric_"}
_MOVES = {"view", "reshape", "permute", "transpose", "t", "squeeze", "unsqueeze", "expand", "contiguous", "clone"}
_MOVES |= {"detach", "flatten", "getitem", "select", "narrow", "flip", "roll", "chunk", "split", "unbind", "movedim"}
_IN_PLACE = {operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod}
_IN_PLACE |= {operator.ipow, operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift}
_AUTOCAST = {"_enter_autocast", "_exit_autocast"}
_REAL = {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}


class Unliftable(Exception):
    """The graph has no faithful form in double."""


# A custom operator, because the compiler treats a cast there and back as one that can be removed.
@torch.library.custom_op("parityd::rounded", mutates_args=())
def rounded(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """`value` rounded to the precision of `dtype`, in its own type."""
    return value.to(dtype).to(value.dtype, copy=True)


@rounded.register_fake
def _(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return torch.empty_like(value)


rounded.register_autograd(lambda context, gradient: (gradient, None))


def widened(value: Any) -> Any:
    """`value` with its narrow tensors in double; unchanged if there are none."""
    if isinstance(value, torch.Tensor):
        return value.to(DOUBLES[value.dtype]) if value.dtype in DOUBLES else value
    if isinstance(value, (tuple, list)):
        parts = [widened(part) for part in value]
        if any(part is not old for part, old in zip(parts, value, strict=True)):
            return parts if isinstance(value, list) else tuple(parts)
    return value


def drawn_narrow(name: str, tensor: torch.Tensor, dtype: torch.dtype, *args: Any, **kwargs: Any) -> torch.Tensor:
    """Random numbers written in place: those that the narrow tensor would have received."""
    with torch.no_grad():
        narrow = tensor.detach().to(dtype)
        getattr(narrow, name)(*args, **kwargs)
    return tensor.copy_(narrow)


@dataclass
class Output:
    """One result of a graph: its type in the program, and whether the program itself rounded it to that type."""

    dtype: torch.dtype | None
    kept: bool


@dataclass
class Lifted:
    module: torch.fx.GraphModule
    outputs: list[Output]
    constants: list[tuple[torch.Tensor, torch.Tensor]]  # tensors held by the graph itself, and their doubles
    warnings: set[str]


def lift(original: torch.fx.GraphModule, double_of: Callable[[torch.Tensor], torch.Tensor]) -> Lifted:
    """`double_of` returns the doubles of tensors that the graph holds itself."""
    return _Lifter(original, double_of).run()


class _Lifter:
    def __init__(self, original: torch.fx.GraphModule, double_of: Callable[[torch.Tensor], torch.Tensor]) -> None:
        self._original = original
        self._double_of = double_of
        self._root = torch.nn.Module()
        self._graph = torch.fx.Graph()
        self._new: dict[torch.fx.Node, Any] = {}
        self._kept: set[torch.fx.Node] = set()
        self._copied: set[torch.fx.Node] = set()  # whose bits are viewed as another type, in a copy
        self._lifted = Lifted(None, [], [], set())  # type: ignore[arg-type]

    def run(self) -> Lifted:
        for node in self._original.graph.nodes:
            if node.op == "placeholder":
                self._new[node] = self._graph.placeholder(node.name)
            elif node.op == "get_attr":
                self._new[node] = self._attribute(node)
            elif node.op == "output":
                self._lifted.outputs = [self._output(value) for value in tree_leaves(node.args)]
                self._graph.output(self._map(node.args[0]))
            elif node.op == "call_module":
                raise Unliftable(f"the graph calls a module, {node.target}")
            elif _name(node) in _AUTOCAST:
                self._lifted.warnings.add("autocast is left out of the double run")
                self._new[node] = None
            else:
                self._new[node] = self._call(node)
        if any(_base(written) in self._copied for node in self._original.graph.nodes for written in _written(node)):
            raise Unliftable("a tensor that is written to is also viewed as another type")
        self._lifted.module = torch.fx.GraphModule(self._root, self._graph)
        self._lifted.module.train(self._original.training)
        return self._lifted

    def _output(self, value: Any) -> Output:
        return Output(_dtype(value), value in self._kept) if isinstance(value, torch.fx.Node) else Output(None, False)

    def _attribute(self, node: torch.fx.Node) -> Any:
        held: Any = self._original
        for name in node.target.split("."):
            held = getattr(held, name)
        if isinstance(held, torch.fx.GraphModule):
            inner = lift(held, self._double_of)
            self._lifted.constants += inner.constants
            self._lifted.warnings |= inner.warnings
            held = inner.module
        elif isinstance(held, torch.Tensor) and held.dtype in DOUBLES:
            self._lifted.constants.append((held, self._double_of(held)))
            held = self._lifted.constants[-1][1]
        name = f"held_{node.target.replace('.', '_')}"
        if isinstance(held, torch.Tensor) and not isinstance(held, torch.nn.Parameter):
            self._root.register_buffer(name, held)
        else:
            setattr(self._root, name, held)
        return self._graph.get_attr(name)

    def _map(self, value: Any) -> Any:
        return torch.fx.node.map_arg(value, lambda node: self._new[node])

    def _emit(self, node: torch.fx.Node, args: Any, kwargs: Any) -> torch.fx.Node:
        return self._graph.create_node(node.op, node.target, tuple(args), dict(kwargs))

    def _call(self, node: torch.fx.Node) -> Any:
        name, source, result = _name(node), _dtype(_first(node)), _dtype(node)
        floating = result is not None and (result.is_floating_point or result.is_complex)
        if name in _CASTS and floating and source is not None:
            return self._cast(node, source, result)
        if name == "view" and any(isinstance(value, torch.dtype) for value in _flat(node)):
            return self._bit_cast(node, source)
        if name in _RANDOM_IN_PLACE and source in DOUBLES:
            args = (name, self._map(node.args[0]), source, *self._map(node.args[1:]))
            return self._graph.call_function(drawn_narrow, args, self._map(node.kwargs))
        if name in _RANDOM:
            args, kwargs = self._narrow_again(node)
            return self._widen(self._emit(node, args, kwargs))
        if name in _MOVES and _first(node) in self._kept:
            self._kept.add(node)
        asked = next((value for value in _flat(node) if isinstance(value, torch.dtype) and value in DOUBLES), None)
        args, kwargs = self._map(node.args), self._map(node.kwargs)
        if asked is not None and not _makes(name, node):
            args, kwargs = _with_wide_types(args), _with_wide_types(kwargs)
            wide = self._emit(node, args, kwargs)
            return self._round(wide, asked) if _narrows(source, asked) else wide
        if name in _STEPS and floating:
            return self._emit(node, args, {**kwargs, "dtype": DOUBLES.get(result, result)})
        if floating and source is not None and name != "where" and _only_integers(node):
            args, kwargs = self._floating_operands(node)
        emitted = self._emit(node, args, kwargs)
        return self._widen(emitted) if _has_narrow(node) else emitted

    def _cast(self, node: torch.fx.Node, source: torch.dtype, result: torch.dtype) -> Any:
        wide = DOUBLES.get(result, result)
        args, kwargs = _with_wide_types(self._map(node.args)), _with_wide_types(self._map(node.kwargs))
        if _name(node) in ("to", "_to_copy", "convert_element_type"):
            cast = self._emit(node, args, kwargs)
        else:
            kwargs = {name: value for name, value in kwargs.items() if name == "memory_format"}
            cast = self._graph.call_method("to", (args[0], wide), kwargs)
        if source == result:
            if _first(node) in self._kept:
                self._kept.add(node)
            return cast
        if not _narrows(source, result):
            return self._graph.call_method("clone", (cast,))  # the program's own cast makes a copy
        self._kept.add(node)
        return self._round(cast, result)

    def _round(self, wide: torch.fx.Node, dtype: torch.dtype) -> torch.fx.Node:
        if dtype not in DOUBLES:
            return wide
        return self._graph.call_function(torch.ops.parityd.rounded.default, (wide, dtype))

    def _widen(self, node: torch.fx.Node) -> torch.fx.Node:
        return self._graph.call_function(widened, (node,))

    def _bit_cast(self, node: torch.fx.Node, source: torch.dtype | None) -> Any:
        if source in DOUBLES or _dtype(node) in DOUBLES:
            self._copied.add(_base(node))
        args = self._map(node.args)
        if source in DOUBLES:
            args = (self._graph.call_method("to", (args[0], source)), *args[1:])
        return self._widen(self._emit(node, args, self._map(node.kwargs)))

    def _narrow_again(self, node: torch.fx.Node) -> tuple[Any, Any]:
        """The operands in the types they have in the program."""

        def narrow(operand: torch.fx.Node) -> Any:
            dtype = _dtype(operand)
            new = self._new[operand]
            return self._graph.call_method("to", (new, dtype)) if dtype in DOUBLES else new

        return torch.fx.node.map_arg(node.args, narrow), torch.fx.node.map_arg(node.kwargs, narrow)

    def _floating_operands(self, node: torch.fx.Node) -> tuple[Any, Any]:
        """Integers that would combine to the default floating type are converted to double."""

        def wide(operand: torch.fx.Node) -> Any:
            new = self._new[operand]
            return new if _dtype(operand) is None else self._graph.call_method("to", (new, torch.float64))

        return torch.fx.node.map_arg(node.args, wide), torch.fx.node.map_arg(node.kwargs, wide)


def _name(node: torch.fx.Node) -> str:
    if isinstance(node.target, str):
        return node.target
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target._schema.name.partition("::")[2]
    return getattr(node.target, "__name__", "")


def _value(node: Any) -> Any:
    return node.meta.get("example_value", node.meta.get("val")) if isinstance(node, torch.fx.Node) else None


def _dtype(node: Any) -> torch.dtype | None:
    value = _value(node)
    return value.dtype if isinstance(value, torch.Tensor) else None


def _flat(node: torch.fx.Node) -> list[Any]:
    return tree_leaves((node.args, node.kwargs))


def _first(node: torch.fx.Node) -> Any:
    """The operand that determines the type: the first tensor."""
    if node.args and isinstance(_value(node.args[0]), (tuple, list)):
        return node.args[0]
    return next((value for value in _flat(node) if _dtype(value) is not None), None)


def _base(node: torch.fx.Node) -> torch.fx.Node:
    """The tensor at the start of a chain of views."""
    while node.op != "placeholder" and _name(node) in _MOVES and isinstance(_first(node), torch.fx.Node):
        node = _first(node)
    return node


def _written(node: torch.fx.Node) -> list[torch.fx.Node]:
    """The tensors that a call writes to."""
    name = _name(node)
    if node.op not in ("call_function", "call_method"):
        return []
    in_place = name == "setitem" or name.endswith("_") and not name.endswith("__")
    in_place |= node.target in _IN_PLACE
    target = node.args[:1] if in_place else (node.kwargs.get("out"),)
    return [value for value in target if isinstance(value, torch.fx.Node)]


def _has_narrow(node: torch.fx.Node) -> bool:
    return any(isinstance(value, torch.Tensor) and value.dtype in DOUBLES for value in tree_leaves(_value(node)))


def _only_integers(node: torch.fx.Node) -> bool:
    dtypes = [dtype for value in _flat(node) if (dtype := _dtype(value)) is not None]
    return bool(dtypes) and not any(dtype.is_floating_point or dtype.is_complex for dtype in dtypes)


def _makes(name: str, node: torch.fx.Node) -> bool:
    """Whether the node makes a tensor whose values do not come from another tensor, so that its type implies no
    arithmetic."""
    if name in _STEPS:
        return False
    return name.endswith("_like") or name.startswith("new_") or _first(node) is None


def _with_wide_types(value: Any) -> Any:
    if isinstance(value, torch.dtype):
        return DOUBLES.get(value, value)
    if isinstance(value, dict):
        return {key: _with_wide_types(part) for key, part in value.items()}
    if type(value) in (tuple, list):
        return type(value)(_with_wide_types(part) for part in value)
    return value


def _narrows(source: torch.dtype | None, target: torch.dtype) -> bool:
    """Whether a value of the first type may have to be rounded to fit the second."""
    if source is None or source == torch.bool:
        return False
    if not source.is_floating_point and not source.is_complex:
        return True
    one, other = torch.finfo(_REAL.get(source, source)), torch.finfo(_REAL.get(target, target))
    return other.eps > one.eps or other.max < one.max or other.smallest_normal > one.smallest_normal
