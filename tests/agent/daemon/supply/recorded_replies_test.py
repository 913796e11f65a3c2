"""Runs the recorded replies and their repairs in eager mode: most are valid at once, nearly all after one repair.

    python recorded_replies_test.py REPLIES.jsonl FAILED_REPLIES.jsonl EXECUTOR_FOLDER [--list]

Needs torch; says SKIPPED without it. The bounds leave room for other versions of torch, which know other operators.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys
import tempfile
import warnings

try:
    import torch
except ImportError:
    print("SKIPPED: no torch")
    sys.exit(0)

STRATEGY_OPTIONS = {
    "dynamic": {"calls": 2},
    "dynamic_padding": {"calls": 2},
    "training": {"train": True, "backward": True},
}
LEAST_VALID = 0.75
LEAST_REPAIRED = 0.7
LEAST_FAILING = 0.75


def run(text: str, file: pathlib.Path) -> None:
    """Every call of the program, with its backward pass where OPTIONS say so."""
    import program

    loaded = program.Program(text, str(file))
    module = loaded.load()
    options = loaded.options
    model = program.build_model(module)
    model.train(options.train)
    for call in range(max(1, options.calls)):
        arguments = program.make_inputs(module, call)
        with torch.set_grad_enabled(options.grad or options.backward):
            results = model(*arguments.positional, **arguments.named)
        if options.backward:
            leaves = torch.utils._pytree.tree_leaves(results)
            floating = [t for t in leaves if isinstance(t, torch.Tensor) and t.requires_grad]
            sum(t.abs().sum() for t in floating).backward()


def runs(row: dict, reply: str, folder: pathlib.Path, show: bool) -> bool:
    import fixes
    import options
    import source

    block = re.search(r"```python\n(.*)```", reply, re.DOTALL)
    assert block is not None, row["name"]
    code = fixes.fix(source.Source(block.group(1)), [])
    text = options.merge(code, STRATEGY_OPTIONS.get(row["strategy"], {}))
    torch.manual_seed(0)
    try:
        run(text, folder / f"{row['name']}.py")
    except Exception as error:
        if show:
            print(f"{row['name']}: {type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}")
        return False
    return True


def read(file: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("replies", type=pathlib.Path)
    parser.add_argument("failed", type=pathlib.Path)
    parser.add_argument("executor", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    sys.path[:0] = [str(arguments.executor / folder) for folder in ("worker", "syntax")]
    import syntax_path
    import worker_path

    sys.path[:0] = [*worker_path.FOLDERS, *syntax_path.FOLDERS]
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    rows, failed = (read(file) for file in (arguments.replies, arguments.failed))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        invalid = [row for row in rows if not runs(row, row["reply"], folder, arguments.list)]
        still = [row for row in failed if not runs(row, row["reply"], folder, arguments.list)]
        repairs = [row for row in invalid + still if "repair" in row]
        repaired = [row for row in repairs if runs(row, row["repair"], folder, arguments.list)]
    valid = len(rows) - len(invalid)
    print(f"{valid} of {len(rows)} valid at once, {len(repaired)} of {len(repairs)} recorded repairs are")
    print(f"{len(still)} of {len(failed)} that failed elsewhere do")
    assert valid >= LEAST_VALID * len(rows)
    assert len(still) >= LEAST_FAILING * len(failed)
    assert len(repaired) >= LEAST_REPAIRED * len(repairs)


if __name__ == "__main__":
    main()
