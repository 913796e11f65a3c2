"""Sizes of inputs that OPTIONS mark for the compiler: as dynamic, or as unknown to it (unbacked)."""

import torch
from program import Arguments, Options


def mark(options: Options, arguments: Arguments) -> list[str]:
    """Marks the inputs of a call; returns why marks were left out."""
    warnings = []
    for position, dimension in options.mark_dynamic:
        if (tensor := _tensor_at(arguments, position, dimension)) is None:
            warnings.append(_unknown("mark_dynamic", position, dimension))
        else:
            torch._dynamo.mark_dynamic(tensor, dimension % tensor.dim())
    for position, dimension in options.mark_unbacked:
        if (tensor := _tensor_at(arguments, position, dimension)) is None:
            warnings.append(_unknown("mark_unbacked", position, dimension))
        elif tensor.size(dimension) < 2:  # the mark promises the compiler that the size is neither 0 nor 1
            warnings.append(f"mark_unbacked {[position, dimension]!r} left out: the size is {tensor.size(dimension)}")
        else:
            torch._dynamo.decorators.mark_unbacked(tensor, dimension % tensor.dim())
    return warnings


def _tensor_at(arguments: Arguments, position: int, dimension: int) -> torch.Tensor | None:
    """None if there is no such input, or if it has no such dimension."""
    inputs = arguments.positional
    tensor = inputs[position] if -len(inputs) <= position < len(inputs) else None
    known = isinstance(tensor, torch.Tensor) and -tensor.dim() <= dimension < tensor.dim()
    return tensor if known else None


def _unknown(option: str, position: int, dimension: int) -> str:
    return f"{option} {[position, dimension]!r} names no dimension of an input"
