"""Pays once for what every first compile costs: importing Inductor, probing the vector instruction sets, building the
precompiled header. Nothing of a program takes part."""

import contextlib
import importlib

import torch


def _trivial(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.relu(x @ weight).sum(dim=0)


def import_compiler() -> None:
    import modes
    import torch._dynamo
    import torch._dynamo.backends.debugging
    import torch._dynamo.utils
    import torch._inductor.compile_fx
    import torch._inductor.utils

    for config, settings in (
        (torch._dynamo.config, modes.ALWAYS_DYNAMO),
        (torch._functorch.config, modes.ALWAYS_FUNCTORCH),
        (torch._inductor.config, modes.ALWAYS_INDUCTOR),
    ):
        for name, value in settings.items():
            setattr(config, name, value)


def prime(device: str, fork_parent: bool) -> None:
    import_compiler()
    if fork_parent and torch.cuda.is_available():
        probe_only()
    else:
        compile_trivial("cpu")
    if device == "cuda" and not fork_parent:
        compile_trivial("cuda")
    if fork_parent and torch.cuda.is_initialized():
        raise RuntimeError("priming touched CUDA: children forked from here could not use it")


def probe_only() -> None:
    """Priming that never touches CUDA. Dynamo asks the accelerator for streams, devices and random states during every
    compile, so where there is CUDA a fork parent compiles nothing: it imports, and probes the vector instruction sets,
    the dearest part of a first CPU kernel."""
    from torch._inductor import cpu_vec_isa

    cpu_vec_isa.pick_vec_isa()
    for name in ("triton", "torch._inductor.runtime.triton_heuristics", "torch._inductor.codegen.triton"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def compile_trivial(device: str) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(_trivial)
    x = torch.ones(8, 16, device=device)
    weight = torch.ones(16, 4, device=device, requires_grad=True)
    with torch.no_grad():
        compiled(x, weight.detach())
    compiled(x, weight).sum().backward()
    torch._dynamo.reset()
