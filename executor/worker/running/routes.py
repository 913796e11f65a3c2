"""The ways to compile what a program calls. Besides torch.compile of the model itself, each is a route that a row of
modes.json names. The result of a route is called like the model, and compiles at its first call."""

import contextlib
import contextvars
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import capture
import torch
from torch._dynamo.external_utils import wrap_inline
from torch.fx.experimental.proxy_tensor import make_fx

Called = Callable[..., Any]

compile_by_torch = torch.compile  # a program may rebind the name to something that compiles nothing


@dataclass(frozen=True)
class How:
    backend: str | Called
    dynamic: bool | None = None
    fullgraph: bool = False
    model: torch.nn.Module | None = None  # of the program, whatever is called

    def compiled(self, function: Called) -> Called:
        return compile_by_torch(function, backend=self.backend, dynamic=self.dynamic, fullgraph=self.fullgraph)


def whole(called: Called, how: How) -> Called:
    return how.compiled(called)


def graph(model: torch.nn.Module, how: How) -> Called:
    """Compiles a graph made by the compiler as PyTorch's minifier does: without AOTAutograd before it."""
    compiled: list[Called] = []

    def call(*inputs: Any) -> Any:
        if not compiled:
            from torch._inductor.compile_fx import compile_fx_inner

            traced = make_fx(model, tracing_mode="symbolic" if how.dynamic else "real")(*inputs)
            capture.note_graph(traced)
            compiled.append(compile_fx_inner(traced, list(inputs)))
        return compiled[0](list(inputs))

    return call


def uncompiled(model: torch.nn.Module) -> Called:
    compiled = compile_by_torch(model, backend="eager")

    def call(*positional: Any, **named: Any) -> Any:
        with torch.compiler.set_stance("force_eager"):
            return compiled(*positional, **named)

    return call


def export(model: torch.nn.Module, how: How) -> Called:
    return _exported(model, how, strict=False)


def export_strict(model: torch.nn.Module, how: How) -> Called:
    return _exported(model, how, strict=True)


def _exported(model: torch.nn.Module, how: How, strict: bool) -> Called:
    """Parameters and buffers stay the model's own, in every form that the exported program takes."""
    found: list[Called] = []
    first: list[Any] = []

    def call(*positional: Any, **named: Any) -> Any:
        leaves = torch.utils._pytree.tree_leaves((positional, named))
        first[:] = first or leaves
        if any(map(_is_other_layout, first, leaves)):
            capture.note("other_layout")
        if how.backend == "inductor" and not all(map(_is_of_one_size, first, leaves)):  # a package does not check
            raise AssertionError("Guard failed: an input has another size or value than the program was exported for")
        if not found:
            shapes = _all_dynamic((positional, named)) if how.dynamic else None
            with capture.noting_side_effects(), _hooks_put_back():
                program = torch.export.export(model, positional, named, dynamic_shapes=shapes, strict=strict)
            capture.note_graph(program.graph_module)
            found.append(_FORMS[how.backend](program, model))
        return found[0](*positional, **named)

    return call


@contextlib.contextmanager
def _hooks_put_back() -> Iterator[None]:
    """An export that fails leaves its hooks on all modules."""
    tables = [v for k, v in vars(torch.nn.modules.module).items() if k.startswith("_global_") and isinstance(v, dict)]
    before = [dict(table) for table in tables]
    try:
        yield
    except BaseException:
        for table, hooks in zip(tables, before, strict=True):
            table.clear()
            table.update(hooks)
        raise


def _all_dynamic(arguments: Any) -> Any:
    shapes = torch.export.ShapesCollection()
    for value in torch.utils._pytree.tree_leaves(arguments):
        if isinstance(value, torch.Tensor):
            shapes[value] = dict.fromkeys(range(value.dim()), torch.export.Dim.AUTO)
    return shapes


def _is_other_layout(first: Any, now: Any) -> bool:
    """Whether an input violates what an exported program assumes about layout but does not check."""
    if not isinstance(first, torch.Tensor) or not isinstance(now, torch.Tensor):
        return False
    if (first.dtype, first.layout) != (now.dtype, now.layout):
        return True
    if first.layout != torch.strided:
        return False
    strides = [[step for step, size in zip(t.stride(), t.shape, strict=True) if size != 1] for t in (first, now)]
    if first.shape == now.shape:
        return strides[0] != strides[1]
    orders = [sorted(range(len(each)), key=lambda place, each=each: -each[place]) for each in strides]
    return orders[0] != orders[1]


def _is_of_one_size(first: Any, now: Any) -> bool:
    if isinstance(first, torch.Tensor) and isinstance(now, torch.Tensor):
        return first.shape == now.shape
    return type(first) is type(now) and (not isinstance(first, (bool, int, float, str)) or first == now)


def _as_captured(program: torch.export.ExportedProgram, _model: torch.nn.Module) -> Called:
    return program.module()


def _as_decomposed(program: torch.export.ExportedProgram, _model: torch.nn.Module) -> Called:
    return program.run_decompositions().module()


def _as_inductor_decomposes(program: torch.export.ExportedProgram, _model: torch.nn.Module) -> Called:
    from torch._inductor.decomposition import select_decomp_table

    return program.run_decompositions(select_decomp_table()).module()


def _as_package(program: torch.export.ExportedProgram, model: torch.nn.Module) -> Called:
    from torch._inductor import aoti_compile_and_package, aoti_load_package, config

    # It records there what it compiled for, and leaves it there.
    with config.patch("aot_inductor.metadata", {}), tempfile.TemporaryDirectory() as folder:
        package = aoti_load_package(aoti_compile_and_package(program, package_path=f"{folder}/program.pt2"))
    own = {**dict(model.named_parameters()), **dict(model.named_buffers()), **program.constants}
    kept = {name: own[name] for name in package.get_constant_fqns() if name in own}
    # Instead of copies, so that what compiled code writes to a buffer reaches the model.
    package.load_constants(kept, check_full_update=False, user_managed=True)
    return package


_FORMS = {
    "eager": _as_captured,
    "aot_eager": _as_decomposed,
    "aot_eager_decomp_partition": _as_inductor_decomposes,
    "inductor": _as_package,
}


def regions(called: Called, how: How) -> Called:
    """Compiles each child separately, and nothing that calls them; the whole if there are no children. A list of
    modules is not called: its entries are. Module.compile() would leave torch's own modules uncompiled: Dynamo does not
    start in their frames."""
    children = _children(how.model)
    for child in children:
        child._compiled_call_impl = how.compiled(wrap_inline(child._call_impl))
    return called if children else how.compiled(called)


def _children(module: torch.nn.Module) -> list[torch.nn.Module]:
    found: list[torch.nn.Module] = []
    for child in module.children():
        lists = isinstance(child, (torch.nn.ModuleList, torch.nn.ModuleDict))
        found += _children(child) if lists else [child]
    return found


def threads(called: Called, how: How) -> Called:
    return from_threads(how.compiled(called))


def from_threads(called: Called) -> Called:
    """The first call compiles; each later call comes from a new thread, with the settings and grad mode of this one."""
    first = [True]

    def call(*positional: Any, **named: Any) -> Any:
        if first:
            first.clear()
            return called(*positional, **named)
        return _in_thread(called, positional, named)

    return call


def _in_thread(function: Called, positional: tuple, named: dict[str, Any]) -> Any:
    outcome: list[Any] = []
    failed: list[BaseException] = []
    with_gradients = torch.is_grad_enabled()

    def run() -> None:
        try:
            with torch.set_grad_enabled(with_gradients):
                outcome.append(function(*positional, **named))
        except BaseException as error:  # raised in the caller, as if there had been no thread
            failed.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,))
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return outcome[0]


ROUTES: dict[str, Callable[[Any, How], Called]] = {
    "": whole,
    "export": export,
    "export_strict": export_strict,
    "regions": regions,
    "threads": threads,
}
