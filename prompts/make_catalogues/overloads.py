"""Writes catalogues/overloads.jsonl: overloads that Inductor lowers or takes apart and that no program has reached.

    parityd stats --coverage --json > coverage.json    # of a run of some hundred programs
    python prompts/make_catalogues/overloads.py coverage.json prompts/catalogues/overloads.jsonl

What a program cannot sensibly call is left out: overloads without a tensor, of names and lists of TorchScript, those
that write into `out`, need another device, or are another operator's inner part.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys

import torch

LEAD = "Call these overloads:"
NOT_FOR_PROGRAMS = re.compile(
    r"out$|Dimname|dimname|_list\b|foreach|fused|sparse|quant|cudnn|cufft|mkldnn|miopen|mps|xnn|xla|nested|jagged|assert|"
    r"rand|dropout|bernoulli|multinomial|normal|uniform|cauchy|exponential|geometric|poisson|fake|fbgemm|flash|efficient|"
    r"rrelu|_debug|retains_grad|requires_grad|hacked_twin|\.output$|list_Tensor|_scaled|_nnpack|_use_|_validate|_choose|"
    r"cuda|_test|batch_dim|serialization|storage|record_stream|pin_memory|resize|set_|sym_|rename|align_|gradients|cslt|"
    r"^aten\.(empty|new_|alias|data|lift|is_|_is|_has|_version|_shape|_dim|q_|result_type|can_cast)|backward"
)


def callable_overload(name: str) -> bool:
    packet = getattr(torch.ops.aten, name.split(".")[1], None)
    overload = getattr(packet, name.split(".")[2], None) if packet is not None and name.count(".") == 2 else None
    if overload is None or NOT_FOR_PROGRAMS.search(name) or name.split(".")[1].startswith("__"):
        return False
    arguments = [argument for argument in overload._schema.arguments if not argument.has_default_value()]
    kinds = [str(argument.type) for argument in arguments]
    plain = {
        "Tensor",
        "int",
        "float",
        "bool",
        "number",
        "str",
        "List[int]",
        "List[Tensor]",
        "List[float]",
        "List[bool]",
    }
    return "Tensor" in kinds[:2] and set(kinds) <= plain


def main() -> None:
    coverage, target = (pathlib.Path(argument) for argument in sys.argv[1:3])
    kinds = json.loads(coverage.read_text())["kinds"]
    names = {
        feature.split(":", 1)[1]
        for kind in kinds
        if kind["kind"] in ("lowering", "decomposition")
        for feature in kind["never_reached"]
        if feature.split(":", 1)[1].startswith("aten.")
    }
    rows = [{"lead": LEAD}, *(f"torch.ops.{name}" for name in sorted(names) if callable_overload(name))]
    target.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(f"{len(rows) - 1} of {len(names)} overloads")


if __name__ == "__main__":
    main()
