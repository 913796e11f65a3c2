"""Operators whose documentation leaves open which of several equal elements an index refers to. The rules have the
names used in oracle/rules/allowances.cpp. argmax, argmin, max and min are not here: theirs is the first."""

from typing import Any

import torch

# By the operator's name without overload.
TABLE = {
    "aten::sort": "tie_sort",
    "aten::argsort": "tie_sort",
    "aten::topk": "tie_topk",
    "aten::kthvalue": "tie_kthvalue",
    "aten::median": "tie_median",
    "aten::nanmedian": "tie_median",
    "aten::mode": "tie_mode",
}


def look(func: Any, args: tuple, kwargs: dict, result: Any) -> tuple[str, int, list[torch.Tensor]]:
    """The rule, the number of elements with an equal neighbour in sorted order, and the results that hold indices."""
    try:
        return _look(func, args, kwargs, result)
    except (RuntimeError, ValueError, TypeError, NotImplementedError):
        return "", 0, []


def _look(func: Any, args: tuple, kwargs: dict, result: Any) -> tuple[str, int, list[torch.Tensor]]:
    rule = TABLE.get(func._schema.name, "")
    if not rule or args[0].dim() == 0:
        return "", 0, []
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    indices = [tensor for tensor in results[-1:] if tensor.dtype == torch.int64]
    if len(results) == 1 and func._schema.name != "aten::argsort":
        return "", 0, []  # a median without a dimension returns no index
    given = {argument.name: argument.default_value for argument in func._schema.arguments}
    given |= dict(zip(given, args, strict=False)) | kwargs  # omitted arguments have their defaults
    dim = given.get("dim")
    if given.get("stable") or dim is None:
        return "", 0, []
    ordered = args[0].detach().sort(dim=dim).values
    left, right = (ordered.narrow(dim, start, max(ordered.shape[dim] - 1, 0)) for start in (0, 1))
    equal = (left == right) | ((left != left) & (right != right))
    return rule, int(equal.sum()), indices
