"""Gradients of a program: which inputs take part, with which weights the outputs are summed, what counts as a
gradient."""

from typing import Any

import leaves
import torch
from apart import is_whole
from doubles import Doubles
from program import Arguments

WEIGHT_SEED = 20_011


def _input_tensors(arguments: Arguments) -> list[tuple[str, torch.Tensor]]:
    named = [*leaves.tensors_in(arguments.positional, "input"), *leaves.tensors_in(arguments.named, "input")]
    return [(path, tensor) for path, tensor in named if tensor.is_floating_point() or tensor.is_complex()]


def require_gradients(arguments: Arguments) -> None:
    for _, tensor in _input_tensors(arguments):
        if tensor.is_leaf:
            tensor.requires_grad_()


def weights_like(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Drawn in double whatever the dtype, so that all modes of a program have the same weights."""
    if is_whole(tensor):  # of the tensor's own class, as the compiler expects of its gradient
        return torch.ones_like(tensor.detach())
    wide = torch.complex128 if tensor.is_complex() else torch.float64
    return torch.randn(tensor.shape, dtype=wide, device="cpu", generator=generator).to(tensor.device, tensor.dtype)


def weighted(outputs: Any, doubles: Doubles | None = None) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """All differentiable outputs, each with its weights."""
    generator = torch.Generator().manual_seed(WEIGHT_SEED)
    found = []
    for _, tensor in leaves.tensors_in(outputs, "output"):
        if tensor.is_floating_point() or tensor.is_complex():
            tensor = tensor if doubles is None else doubles.left(tensor)
            weight = weights_like(tensor, generator)
            if tensor.requires_grad:
                found.append((tensor, weight))
    return found


def run(
    model: torch.nn.Module, outputs: Any, arguments: Arguments, doubles: Doubles | None = None
) -> list[tuple[str, torch.Tensor]]:
    """Gradients of the weighted sum of all differentiable outputs, by name. A missing gradient counts as zero: compiled
    code may return zeros where eager leaves None. `doubles` hold the values of a lifted run."""
    if targets := weighted(outputs, doubles):
        torch.autograd.backward(*zip(*targets, strict=True))
    wanted = [*_input_tensors(arguments), *model.named_parameters()]
    gradient = _gradient if doubles is None else doubles.gradient
    return [(name, gradient(tensor)) for name, tensor in wanted if tensor.requires_grad and tensor.is_leaf]


def _gradient(tensor: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(tensor, requires_grad=False) if tensor.grad is None else tensor.grad
