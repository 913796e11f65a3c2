"""Pays once for what every first compile costs: importing Inductor, learning the vector instruction sets, building the
precompiled header. Nothing of a program takes part."""

import contextlib
import importlib
import os
import sys
import tempfile
from collections.abc import Iterator

import device_kinds
import torch
from shared_cache import SharedCache
from vector_isa import VectorIsa

_MODULES = "modules"
_KERNELS = "kernels"


def _trivial(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.relu(x @ weight).sum(dim=0)


def import_compiler() -> None:
    import modes
    from option_check import config_of

    for owner, settings in modes.ALWAYS.items():
        for name, value in settings.items():
            setattr(config_of(owner), name, value)
    bind_what_a_first_compile_binds()
    bind_what_first_uses_bind()


def bind_what_a_first_compile_binds() -> None:
    """Dynamo wraps Module.__init__ at its first compile. A fork parent has had none where there is CUDA, and in its
    children that must not look like something that a program replaced."""
    from torch._dynamo import mutation_guard

    mutation_guard.install_generation_tagging_init()


def bind_what_first_uses_bind() -> None:
    """The first optimizer of a class wraps its `step`, the first vmap registers kernels of torch's own operators. The
    first number of threads sets up a pool of so many that OpenMP does not know. Here, none of them looks like something
    that a program left."""
    torch.set_num_threads(torch.get_num_threads())
    for kind in list(vars(torch.optim).values()):
        if isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer):
            with contextlib.suppress(AttributeError):  # Optimizer itself
                object.__new__(kind)._patch_step_function()
    for name in ("torch._functorch.predispatch", "torch._functorch.vmap"):  # the latter until torch 2.11
        with contextlib.suppress(ImportError, AttributeError):
            importlib.import_module(name).lazy_load_decompositions()
    bind_effects()


def bind_effects() -> None:
    """The first trace of an operator that only has an effect notes it as one that no pass may drop."""
    with contextlib.suppress(ImportError, AttributeError, KeyError):  # until torch 2.9
        from torch._higher_order_ops.effects import _get_effect

        for operator in (torch.ops.aten._print.default, torch.ops.aten._linalg_check_errors.default):
            if _get_effect(operator) is not None:
                torch.fx.node.has_side_effect(operator)


def settle_autograd_threads() -> None:
    """At its first backward autograd starts a thread for each device, and where there is one, no child forked later can
    have a backward. A CUDA build that sees no GPU counts eight as soon as it has seen a fake tensor
    (torch._C._ensureCUDADeviceGuardSet): so the first backward is here, before any."""
    if not device_kinds.is_any_gpu_available():
        torch.ones(1, requires_grad=True).backward()


def prime(device: str, fork_parent: bool) -> None:
    settle_autograd_threads()
    import_compiler()
    cache = SharedCache(os.environ.get("PARITYD_CACHE", ""))
    instruction_sets = VectorIsa(cache)
    instruction_sets.install()
    instruction_sets.settle()
    before = set(sys.modules)
    import_lazy_modules(cache)
    if not (fork_parent and device_kinds.is_any_gpu_available()):
        # Dynamo asks the accelerator for streams, devices and random states during every compile, so a fork parent
        # compiles nothing where there is a GPU.
        compile_trivial("cpu", cache)
        if device_kinds.KINDS[device].is_gpu and not fork_parent:
            compile_trivial(device, cache)
        note_lazy_modules(cache, before, device)
    if fork_parent and (touched := device_kinds.in_use()):
        raise RuntimeError(f"priming touched {touched[0].row.words}: children forked from here could not use it")


def import_lazy_modules(cache: SharedCache) -> None:
    """What a first compile imports on its way, imported ahead of it: forked children then find it there."""
    names = cache.read(_MODULES)
    for name in names if isinstance(names, list) else ():
        with contextlib.suppress(Exception):  # another device's module, for instance
            importlib.import_module(name)


def note_lazy_modules(cache: SharedCache, before: set[str], device: str) -> None:
    known = cache.read(_MODULES)
    if known and not device_kinds.KINDS[device].is_gpu:
        return
    new = [name for name in sys.modules if name not in before and _is_installed(name)]
    if new:
        cache.write(_MODULES, [*(known or []), *(name for name in new if name not in (known or []))])


def _is_installed(name: str) -> bool:
    """Not what the compiler wrote: its own files are named by their hash."""
    spec = getattr(sys.modules[name], "__spec__", None)
    with contextlib.suppress(Exception):
        return spec is not None and importlib.util.find_spec(name) is not None
    return False


def compile_trivial(device: str, cache: SharedCache) -> None:
    """One kernel is compiled for real, so that a compiler that does not work in here shows before any program. The
    others are ready-made where the shared cache has them."""
    torch._dynamo.reset()
    compiled = torch.compile(_trivial)
    x = torch.ones(8, 16, device=device)
    weight = torch.ones(16, 4, device=device, requires_grad=True)
    with torch.no_grad():
        compiled(x, weight.detach())
    kernels = f"{_KERNELS}-{device}"
    if not cache.enabled or cache.fetch_folder(kernels, os.environ.get("TORCHINDUCTOR_CACHE_DIR", os.devnull)):
        compiled(x, weight).sum().backward()
    else:
        with own_cache_folder() as folder:
            compiled(x, weight).sum().backward()
            cache.store_folder(kernels, folder)
    torch._dynamo.reset()


@contextlib.contextmanager
def own_cache_folder() -> Iterator[str]:
    before = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        try:
            yield folder
        finally:
            del os.environ["TORCHINDUCTOR_CACHE_DIR"]
            if before is not None:
                os.environ["TORCHINDUCTOR_CACHE_DIR"] = before
