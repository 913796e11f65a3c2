"""Judges a program without any code of parityd's: two fresh processes run it eager, two compiled, one in double.

    independent_confirmation.py DEVICE PROGRAM.py      a line: "differs: …", "agrees: …" or "cannot tell: …"

It differs where one side raises and the other does not, where a dtype, shape or stride is another, or where compiled
values are further from the double run than eager's: three times, and by a tenth of torch.testing's tolerances.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

TOLERANCE = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2, torch.float32: 1.3e-6, torch.float64: 1e-7}
DEADLINE = 300
KNOWN = {"train", "grad", "backward", "dynamic", "dynamo_config", "fullgraph"}  # of a program's OPTIONS


def doubled(value: Any) -> Any:
    wide = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64}
    wide[torch.complex64] = torch.complex128
    return tree_map_only(torch.Tensor, lambda tensor: tensor.to(wide.get(tensor.dtype, tensor.dtype)), value)


def run(how: str, device: str, file: str, out: str) -> None:
    torch.set_num_threads(1)
    torch._inductor.config.fallback_random = True
    torch._inductor.config.emulate_precision_casts = True
    space: dict[str, Any] = {}
    try:
        exec(compile(pathlib.Path(file).read_text(), file, "exec"), space)
        torch.manual_seed(11)
        inputs = space["get_inputs"]()
        torch.manual_seed(11)
        model = space["Model"](*space.get("get_init_inputs", list)())
    except Exception as error:
        torch.save(f"cannot tell: no program: {type(error).__name__}: {error}"[:200], out)
        return
    options = space.get("OPTIONS", {})
    if unknown := set(options) - KNOWN:
        torch.save(f"cannot tell: OPTIONS {', '.join(sorted(unknown))}", out)
        return
    model.train(bool(options.get("train")))
    if how == "double":
        model, inputs = model.double(), doubled(inputs)
    model, inputs = model.to(device), tree_map_only(torch.Tensor, lambda tensor: tensor.to(device), inputs)
    backward = bool(options.get("backward"))
    for tensor in tree_leaves(inputs) if backward else ():
        if isinstance(tensor, torch.Tensor) and (tensor.is_floating_point() or tensor.is_complex()):
            tensor.requires_grad_()
    called = (
        torch.compile(model, dynamic=options.get("dynamic"), fullgraph=bool(options.get("fullgraph")))
        if how == "compiled"
        else model
    )
    torch.manual_seed(11)
    try:
        with torch.set_grad_enabled(backward or bool(options.get("grad"))), patched(options):
            results = called(*inputs)
        leaves = tree_leaves(results) + tree_leaves(inputs)
        if backward:
            targets = [leaf for leaf in tree_leaves(results) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
            torch.autograd.backward(targets, [torch.ones_like(leaf) for leaf in targets])
            leaves += [getattr(leaf, "grad", None) for leaf in (*tree_leaves(inputs), *model.parameters())]
        told = [leaf.detach().cpu() if isinstance(leaf, torch.Tensor) else None for leaf in leaves]
    except Exception as error:
        told = f"{type(error).__name__}: {error}"[:200]
    torch.save(told, out)


def patched(options: dict[str, Any]) -> Any:
    return torch._dynamo.config.patch(**options.get("dynamo_config", {}))


def differ(eager: Any, compiled: Any, double: Any) -> str:
    if isinstance(eager, str) or isinstance(compiled, str):
        return "" if isinstance(eager, type(compiled)) else f"one side raises: {error_of(eager, compiled)}"
    if len(eager) != len(compiled):
        return f"{len(eager)} leaves and {len(compiled)}"
    for number, (one, other) in enumerate(zip(eager, compiled, strict=True)):
        if (one is None) != (other is None):
            return f"leaf {number}: one side has none"
        if one is None:
            continue
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            return f"leaf {number}: {one.dtype} {tuple(one.shape)} and {other.dtype} {tuple(other.shape)}"
        if strides(one) != strides(other):
            return f"leaf {number}: strides {one.stride()} and {other.stride()}"
        truth = double[number] if not isinstance(double, str) else None
        if further(one, other, one if truth is None or truth.shape != one.shape else truth, known=truth is not None):
            return f"leaf {number}: values"
    return ""


def strides(value: torch.Tensor) -> list[int]:
    return [step for step, size in zip(value.stride(), value.shape, strict=True) if size > 1] if value.numel() else []


def error_of(eager: Any, compiled: Any) -> str:
    return " ".join((eager if isinstance(eager, str) else compiled).split())


def further(eager: torch.Tensor, compiled: torch.Tensor, truth: torch.Tensor, known: bool) -> bool:
    """`known`: there is a double run; without one the tolerance is all that may lie between them."""
    if not (eager.is_floating_point() or eager.is_complex()):
        return not torch.equal(eager, compiled)
    tolerance = TOLERANCE.get(eager.dtype, 1.3e-6)
    wide = torch.complex128 if eager.is_complex() else torch.float64
    eager, compiled, truth = eager.to(wide), compiled.to(wide), truth.to(wide)
    if not torch.equal(kinds(eager), kinds(compiled)):
        return True
    kept = torch.isfinite(eager) & torch.isfinite(truth)
    eager, compiled, truth = eager[kept], compiled[kept], truth[kept]
    if not kept.any():
        return False
    share = 0.1 if known else 1
    allowed = 3 * (eager - truth).abs().max().item() + share * tolerance * (1 + truth.abs().max().item())
    return bool(((compiled - truth).abs() > allowed).any())


def kinds(value: torch.Tensor) -> torch.Tensor:
    """Of each number: finite, not a number, infinite with its sign."""
    value = torch.view_as_real(value) if value.is_complex() else value
    return torch.where(torch.isfinite(value), 0.0, torch.nan_to_num(value, nan=2.0, posinf=1.0, neginf=-1.0))


def main() -> int:
    if len(sys.argv) == 5:
        run(*sys.argv[1:])
        return 0
    device, file = sys.argv[1:]
    told = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("eager", "eager again", "compiled", "compiled again", "double"):
            out = str(pathlib.Path(folder, name))
            how = name.partition(" ")[0]
            command = [sys.executable, __file__, how, device, str(pathlib.Path(file).resolve()), out]
            try:
                done = subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False)
                told[name] = torch.load(out) if pathlib.Path(out).exists() else f"died with {done.returncode}"
            except subprocess.TimeoutExpired:
                told[name] = "no end"
    print(verdict(told))
    return 0


def verdict(told: dict[str, Any]) -> str:
    strange = next((each for each in told.values() if isinstance(each, str) and each.startswith("cannot tell")), "")
    if strange:
        return strange
    if differ(told["eager"], told["eager again"], told["eager"]):
        return "cannot tell: eager is not steady"
    seen = [differ(told["eager"], told[name], told["double"]) for name in ("compiled", "compiled again")]
    return "differs: " + seen[0] if all(seen) else "agrees: " + json.dumps(seen)


if __name__ == "__main__":
    sys.exit(main())
