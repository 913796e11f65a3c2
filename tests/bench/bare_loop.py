"""The loop that a careful person would write without parityd: programs one after another in one warm process.

    bare_loop.py WORKER_SOURCES DEVICE

Reads the path of a program a line, answers with a line of JSON. Primed with the workers' own prime.py, and OPTIONS that
change what the compiler does are obeyed, so that both sides compile the same.
"""

import json
import os
import sys
import time

sys.path.insert(0, sys.argv[1])
from worker_path import FOLDERS

sys.path += FOLDERS
import prime
import torch
from torch.utils._pytree import tree_leaves, tree_map

DEVICE = sys.argv[2]


def load(file):
    with open(file, encoding="utf-8") as source:
        space = {"__name__": "program", "__file__": file}
        exec(compile(source.read(), file, "exec"), space)
    return space


def inputs_of(space):
    torch.manual_seed(0)
    made = tree_map(lambda leaf: leaf.to(DEVICE) if isinstance(leaf, torch.Tensor) else leaf, space["get_inputs"]())
    if space.get("OPTIONS", {}).get("backward"):
        for leaf in tree_leaves(made):
            if isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
                leaf.requires_grad_()
    return made


def spread(function, arguments):
    if isinstance(arguments, dict):
        return function(**arguments)
    return function(*arguments) if isinstance(arguments, (list, tuple)) else function(arguments)


def model_of(space):
    torch.manual_seed(0)
    arguments = space["get_init_inputs"]() if "get_init_inputs" in space else []
    return spread(space["Model"], arguments).train(space.get("OPTIONS", {}).get("train", False)).to(DEVICE)


def call(model, inputs, options):
    torch.manual_seed(0)
    with torch.set_grad_enabled(bool(options.get("grad") or options.get("backward"))):
        output = spread(model, inputs)
        if options.get("backward"):
            floats = [leaf for leaf in tree_leaves(output) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
            sum(leaf.sum() for leaf in floats).backward()
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return output


def close(expected, actual):
    pairs = zip(tree_leaves(expected), tree_leaves(actual), strict=True)
    return all(
        not isinstance(left, torch.Tensor) or torch.allclose(left, right, equal_nan=True) for left, right in pairs
    )


class Parts:
    """Seconds by what they went to."""

    def __init__(self):
        self.seconds = {}
        self._since = time.perf_counter()

    def end(self, name):
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0) + now - self._since
        self._since = now


def run(file, parts):
    mode = "eager"
    trouble = ""
    try:
        space = load(file)
        options = space.get("OPTIONS", {})
        expected = call(model_of(space), inputs_of(space), options)
        parts.end("eager")
        mode = "compiled"
        compiled = torch.compile(
            model_of(space), dynamic=options.get("dynamic") or None, fullgraph=bool(options.get("fullgraph"))
        )
        actual = call(compiled, inputs_of(space), options)
        parts.end("compile")
        mode = "comparison"
        close(expected, actual)
        parts.end("compare")
    except BaseException as error:
        trouble = f"{mode} raised {type(error).__name__}"
        parts.end({"eager": "eager", "compiled": "compile"}.get(mode, "compare"))
    torch._dynamo.reset()
    parts.end("reset")
    return trouble


def device_is_lost():
    """After a device-side assert every later program would fail in no time and the loop would look fast."""
    if DEVICE != "cuda":
        return False
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what programs print is no answer
    prime.prime(DEVICE, False)
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        parts = Parts()
        trouble = run(line.rstrip("\n"), parts)
        print(json.dumps({"trouble": trouble, "parts": parts.seconds}), file=answers, flush=True)
        if device_is_lost():
            os._exit(1)


if __name__ == "__main__":
    main()
