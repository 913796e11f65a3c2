"""Ablation of a compiled run (the protocol's neutralisers): settings, groups of passes that are skipped, operators that
keep their eager kernel instead of their lowering or decomposition.

torch's own CompilerBisector has the same places, but switches them by their number in the whole process, through files
and class attributes, and prints. So the places are wrapped once, before the process's state is fingerprinted, and ask
which neutralisers are on: nothing has to be restored after a run."""

import dataclasses
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import capture
import graph_forms
import partition
import torch
from option_check import config_of, has_setting
from torch._C import DispatchKey

_PASS_GROUPS = {name: f"_recursive_{name}_passes" for name in ("pre_grad", "joint_graph", "post_grad")}
_CONFIGS = ("dynamo", "functorch", "inductor")
_places: set[str] = set()  # those of them that this torch has


class Ablation:
    """The neutralisers of one run. `untried` names those that have no meaning for this torch."""

    def __init__(self, wanted: list[dict[str, Any]]) -> None:
        self.asked = bool(wanted)
        self.untried: list[str] = []
        self.lowerings: set[str] = set()
        self.decompositions: set[str] = set()
        self.passes: set[str] = set()
        self.saves_copies = False  # of inputs that forward writes
        self.recomputes = True  # in backward, what forward need not keep
        self.compiles_anew = False  # for each call
        self.graph = ""  # "forward" or "backward": the graph run by eager kernels
        self.compile_options: dict[str, Any] = {}
        self._settings: dict[str, dict[str, Any]] = {name: {} for name in _CONFIGS}
        self.known = 0
        for neutraliser in wanted:
            if self._take(neutraliser["kind"], neutraliser["name"], neutraliser.get("value")):
                self.known += 1
            else:
                self.untried.append(neutraliser["name"])

    @property
    def useless(self) -> bool:
        """Whether neutralisers were requested but none exists: a run would look as if they had changed nothing."""
        return self.asked and self.known == 0

    def settings(self, config: str) -> dict[str, Any]:
        return self._settings[config]

    def _take(self, kind: str, name: str, value: Any) -> bool:
        if kind == "config":
            return self._take_setting(name, value)
        if kind == "pass_group":
            self.passes.add(name)
            return _PASS_GROUPS.get(name) in _places
        if kind == "partition" and name == partition.WRITTEN_INPUTS:
            self.saves_copies = True
            return "partition" in _places
        if kind == "partition":
            self.recomputes = name != partition.NOTHING_RECOMPUTED
            return not self.recomputes and "recomputation" in _places
        if kind == "guards":
            self.compiles_anew = name == "every_call"
            return self.compiles_anew
        if kind == "graph":
            self.graph = name
            return name in ("forward", "backward") and graph_forms.installed()
        if kind == "lowering":
            self.lowerings.add(name)
            return "lowering" in _places
        self.decompositions.add(_packet(name))
        return "decomposition" in _places

    def _take_setting(self, name: str, value: Any) -> bool:
        owner, _, rest = name.partition(".")
        if owner == "compile":
            self.compile_options[rest] = value
            return rest == "dynamic"
        if owner not in _CONFIGS or not has_setting(config_of(owner), rest):
            return False
        self._settings[owner][rest] = value
        return True


_current: Ablation | None = None


@contextmanager
def holding(ablation: Ablation) -> Iterator[None]:
    global _current
    _current = ablation
    try:
        yield
    finally:
        _current = None


def install() -> None:
    """Once per process, before its state is fingerprinted."""
    from torch._functorch import partitioners
    from torch._inductor import compile_fx, graph
    from torch.fx.experimental import proxy_tensor

    _wrap("lowering", graph, "fallback_node_due_to_unsupported_type", _keeps_kernel)
    _wrap("decomposition", proxy_tensor, "maybe_handle_decomp", _decomposed)
    _wrap_python_kernels()
    _wrap("partition", partitioners, "_extract_fwd_bwd_modules", _partitioned)
    _wrap("recomputation", partitioners, "get_default_op_list", _recomputable)
    for group, function in _PASS_GROUPS.items():
        _wrap(function, compile_fx, function, functools.partial(_passes, group))


def _wrap(place: str, owner: Any, name: str, instead: Callable[..., Any]) -> None:
    original = getattr(owner, name, None)
    if original is None:
        return
    _places.add(place)
    if hasattr(original, "parityd_wrapped"):
        return

    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return instead(original, *args, **kwargs)

    wrapper.parityd_wrapped = True
    setattr(owner, name, wrapper)


def _wrap_python_kernels() -> None:
    """Decompositions written in Python for an operator whose C++ kernel is a decomposition, too (dropout, upsample's
    .vec, matmul): the dispatcher uses them while a graph is traced, before `maybe_handle_decomp` could see the
    operator."""
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, name = schema.name.partition("::")
        if namespace != "aten":
            continue
        operator = getattr(getattr(torch.ops.aten, name, None), schema.overload_name or "default", None)
        if isinstance(operator, torch._ops.OpOverload) and operator.py_kernels and _gives_tensors(operator):
            for key in (DispatchKey.CompositeImplicitAutograd, DispatchKey.Autograd):
                _wrap_python_kernel(operator, key)


def _wrap_python_kernel(operator: torch._ops.OpOverload, key: DispatchKey) -> None:
    kernel = operator.py_kernels.get(key)
    native = next((k for k in (key, DispatchKey.CompositeImplicitAutograd) if _has_native(operator, k)), None)
    if kernel is None or native is None or hasattr(kernel, "parityd_wrapped"):
        return

    @functools.wraps(kernel)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if _current is not None and _packet(str(operator)) in _current.decompositions:
            return operator._op_dk(native, *args, **kwargs)
        capture.note_decomposed(str(operator))
        return kernel(*args, **kwargs)

    wrapper.parityd_wrapped = True
    operator.py_kernels[key] = wrapper
    operator._dispatch_cache.clear()


def _has_native(operator: torch._ops.OpOverload, key: DispatchKey) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), key)


def _packet(operator: str) -> str:
    """Without its overload: the kernel of one overload calls another's (upsample_nearest2d.vec the default's), and all
    of them must stay whole."""
    return operator.rpartition(".")[0] or operator


def _keeps_kernel(original: Callable[..., Any], node: torch.fx.Node, *args: Any, **kwargs: Any) -> Any:
    """Called for each node that Inductor lowers; true: it becomes a call of the eager kernel."""
    if _gives_tensors(node.target):
        operator = str(node.target)
        if _current is not None and (operator in _current.lowerings or _packet(operator) in _current.decompositions):
            return True
        capture.note_lowered(operator)
    return original(node, *args, **kwargs)


def _decomposed(original: Callable[..., Any], mode: Any, operator: Any, *args: Any, **kwargs: Any) -> Any:
    if _current is not None and _packet(str(operator)) in _current.decompositions:
        return NotImplemented
    result = original(mode, operator, *args, **kwargs)
    if result is not NotImplemented and _gives_tensors(operator):
        capture.note_decomposed(str(operator))
    return result


def _passes(group: str, original: Callable[..., Any], graph_module: Any, *args: Any, **kwargs: Any) -> Any:
    if _current is not None and group in _current.passes:
        return None if group == "post_grad" else graph_module
    return original(graph_module, *args, **kwargs)


def _partitioned(original: Callable[..., Any], *args: Any, num_fwd_outputs: int, **kwargs: Any) -> Any:
    forward, backward = original(*args, num_fwd_outputs=num_fwd_outputs, **kwargs)
    if _current is not None and _current.saves_copies:
        partition.save_copies(forward, num_fwd_outputs)
    return forward, backward


def _recomputable(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The partitioner recomputes only what is in this list."""
    operators = original(*args, **kwargs)
    if _current is None or _current.recomputes:
        return operators
    return dataclasses.replace(operators, recomputable_ops=type(operators.recomputable_ops)())


def _gives_tensors(target: Any) -> bool:
    """Whether an eager kernel can replace it: not for sizes, and not for what only Inductor knows."""
    return (
        isinstance(target, torch._ops.OpOverload)
        and target.namespace in ("aten", "prims")
        and "inductor" not in target.__name__
        and any("Tensor" in str(returned.type) for returned in target._schema.returns)
    )
