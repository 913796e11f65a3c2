"""torch's own samples of operators, eager and compiled with the program's settings: what a changed torch gets wrong
that another gets right (docs/inspect.md).

Not for `parityd inspect`: `parityd fix` requests it and names the operators.
"""

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from inspect_minify import silent
from opinfo_cases import SEED, Case, batches_of, full_name, infos_of, op_infos

if TYPE_CHECKING:
    from inspect_subject import Subject

SAMPLES = 30
SECONDS = 60
SENTENCE = 200
_LOOSE = {torch.float16: (1e-2, 1e-2), torch.bfloat16: (5e-2, 5e-2)}


def opinfo(subject: "Subject") -> None:
    asked = subject.message.get("arguments", {})
    deadline = time.monotonic() + min(asked.get("seconds", SECONDS), subject.message["seconds"] - 10)
    infos = op_infos()
    operators = {operator: infos_of(operator, infos) for operator in asked.get("operators", [])}
    found = list({full_name(info): info for some in operators.values() for info in some}.values())
    batches = batches_of(found, subject.message["device"], asked.get("samples", SAMPLES))
    results: dict[str, str] = {}
    late = 0
    for batch in batches:
        if time.monotonic() > deadline:
            late += len(batch)
            continue
        with silent(), subject.observed().settings():
            told = results_of(batch)
        subject.text.writelines(f"{name}: {result}\n" for name, result in told.items())
        results |= told
    subject.answer = json.dumps(
        {
            "operators": {operator: [full_name(info) for info in some] for operator, some in operators.items()},
            "samples": results,
            "left_out": late,
        }
    )


def results_of(batch: list[Case]) -> dict[str, str]:
    """ "passed", "skipped: why", or how it failed: "raised: …", "numbers: …", "metadata: …", "gradient: …"."""
    results = {case.name: _why_not(case) for case in batch}
    cases = [case for case in batch if not results[case.name]]
    try:
        wrong = _compared(cases) if cases else {}
    except Exception:  # which one: each alone
        wrong = {case.name: "raised" for case in cases}
    for case in cases:
        results[case.name] = _alone(case) if case.name in wrong else "passed"
    return results


def _why_not(case: Case) -> str:
    """Samples that eager refuses, or computes differently each time, say nothing about the compiler."""
    try:
        (first,), (second,) = _called([case], None), _called([case], None)
    except Exception as error:
        return f"skipped: eager raised {type(error).__name__}"
    return "skipped: eager differs from itself" if _difference(first, second) else ""


def _alone(case: Case) -> str:
    for fullgraph in (True, False):
        try:
            return _compared([case], fullgraph).get(case.name, "passed")
        except Exception as error:
            if not fullgraph or not isinstance(error, torch._dynamo.exc.Unsupported):
                first = next((line for line in str(error).splitlines() if line.strip()), "")
                return f"raised: {type(error).__name__}: {first.strip()}"[:SENTENCE]
    raise AssertionError("unreachable")


def _compared(cases: list[Case], fullgraph: bool = True) -> dict[str, str]:
    """How the compiled ones differ, by their names; one that does not is left out."""
    torch._dynamo.reset()
    expected, got = _called(cases, None), _called(cases, {"dynamic": cases[0].dynamic, "fullgraph": fullgraph})
    differences = {case.name: _difference(*both) for case, *both in zip(cases, expected, got, strict=True)}
    return {name: difference for name, difference in differences.items() if difference}


Left = tuple[Any, list[Any]]  # a result, and the gradients


def _called(cases: list[Case], settings: dict[str, bool] | None) -> list[Left]:
    calls = [case.call for case in cases]

    def run(given: list[Any]) -> list[Any]:
        return [call(first, *rest, **named) for call, (first, rest, named) in zip(calls, given, strict=True)]

    given = torch.utils._pytree.tree_map(_copied, [case.arguments for case in cases])
    torch.manual_seed(SEED)
    function = torch.compile(run, **settings) if settings else run  # type: ignore[call-overload]
    with torch.set_grad_enabled(any(case.gradient for case in cases)):
        results = function(given)
    kept = [result for case, result in zip(cases, results, strict=True) if case.gradient]
    gradients = iter(_gradients(kept, given))
    return [
        (result, _of(one, gradients) if case.gradient else [])
        for case, result, one in zip(cases, results, given, strict=True)
    ]


def _copied(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    if value.layout != torch.strided or torch._debug_has_internal_overlap(value) != 0:
        return value.detach().clone().requires_grad_(value.requires_grad)
    copy = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
    return copy.copy_(value.detach()).requires_grad_(value.requires_grad)


def _gradients(results: list[Any], given: list[Any]) -> list[Any]:
    """Of all inputs, in one backward: compiled code may give up what it saved."""
    inputs = [leaf for leaf in _tensors(given) if leaf.requires_grad]
    outputs = [leaf for leaf in _tensors(results) if leaf.requires_grad]
    if not inputs or not outputs:
        return [None] * len(inputs)
    along = [torch.cos(torch.arange(leaf.numel(), device=leaf.device)).reshape(leaf.shape) for leaf in outputs]
    along = [each.to(leaf.dtype) for each, leaf in zip(along, outputs, strict=True)]
    return list(torch.autograd.grad(outputs, inputs, along, allow_unused=True))


def _of(arguments: Any, gradients: Iterator[Any]) -> list[Any]:
    return [next(gradients) for leaf in _tensors(arguments) if leaf.requires_grad]


def _tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _difference(expected: Left, got: Left) -> str:
    """The first one; empty: they are alike."""
    found = _unlike(expected[0], got[0], "numbers") or _unlike(expected[1], got[1], "gradient")
    return " ".join(found.split())[:SENTENCE]


def _unlike(expected: Any, got: Any, kind: str) -> str:
    first, second = torch.utils._pytree.tree_leaves(expected), torch.utils._pytree.tree_leaves(got)
    if len(first) != len(second):
        return f"metadata: {len(first)} results, compiled {len(second)}"
    return next((found for one, other in zip(first, second, strict=True) if (found := _leaf(one, other, kind))), "")


def _leaf(one: Any, other: Any, kind: str) -> str:
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        same = type(one) is type(other) and (one == other or one != one)
        return "" if same else f"metadata: {one!r}, compiled {other!r}"
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return f"metadata: {one.dtype} {list(one.shape)}, compiled {other.dtype} {list(other.shape)}"
    relative, absolute = _LOOSE.get(one.dtype, (None, None))
    try:
        torch.testing.assert_close(other, one, rtol=relative, atol=absolute, equal_nan=True, check_stride=False)
    except AssertionError as error:
        return f"{kind}: {error}"
    return ""
