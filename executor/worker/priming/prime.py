"""Does once what every first compile has to do: import Inductor, determine the vector instruction sets, build the
precompiled header. No code of a program is involved."""

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
    """Dynamo wraps Module.__init__ at its first compile. A fork parent has compiled nothing if there is CUDA, and in
    its children that must not look like something a program replaced."""
    from torch._dynamo import mutation_guard

    mutation_guard.install_generation_tagging_init()


def bind_what_first_uses_bind() -> None:
    """The first optimizer of a class wraps its `step`; the first vmap registers kernels of torch's own operators;
    setting the number of threads for the first time creates a pool of that many that OpenMP does not know. Done here,
    none of this looks like something a program left."""
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
    """The first trace of an operator that only has an effect registers it as one that no pass may remove."""
    with contextlib.suppress(ImportError, AttributeError, KeyError):  # until torch 2.9
        from torch._higher_order_ops.effects import _get_effect

        for operator in (torch.ops.aten._print.default, torch.ops.aten._linalg_check_errors.default):
            if _get_effect(operator) is not None:
                torch.fx.node.has_side_effect(operator)


def settle_autograd_threads() -> None:
    """At its first backward, autograd starts a thread for each device; if there is such a thread, no child forked later
    can run a backward. A CUDA build that sees no GPU counts eight devices as soon as it has seen a fake tensor
    (torch._C._ensureCUDADeviceGuardSet): so the first backward runs here, before any."""
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
        # compiles nothing if there is a GPU.
        compile_trivial("cpu", cache)
        if device_kinds.KINDS[device].is_gpu and not fork_parent:
            compile_trivial(device, cache)
        note_lazy_modules(cache, before, device)
    if fork_parent and (touched := device_kinds.in_use()):
        raise RuntimeError(f"priming touched {touched[0].row.words}: children forked from here could not use it")


def import_lazy_modules(cache: SharedCache) -> None:
    """Imports in advance what a first compile imports, so that forked children find it loaded."""
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
    """Not files written by the compiler: these are named by their hash."""
    spec = getattr(sys.modules[name], "__spec__", None)
    with contextlib.suppress(Exception):
        return spec is not None and importlib.util.find_spec(name) is not None
    return False


def compile_trivial(device: str, cache: SharedCache) -> None:
    """Compiles one kernel for real, so that a compiler that does not work here is noticed before any program. The
    others come ready-made from the shared cache, if it has them."""
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
