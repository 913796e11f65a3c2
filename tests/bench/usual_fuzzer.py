"""A fuzzer of the usual form, to compare with: a new process for each program, eager against compiled, allclose with a
tolerance of 1e-4, nothing tried twice and nothing confirmed.

    usual_fuzzer.py DEVICE PROGRAM.py      one program, in this process; prints what it would report
"""

import sys

import torch
from torch.utils._pytree import tree_leaves, tree_map


def moved(value, device):
    return tree_map(lambda leaf: leaf.to(device) if isinstance(leaf, torch.Tensor) else leaf, value)


def outputs(space, device, compiled):
    torch.manual_seed(0)
    arguments = space["get_init_inputs"]() if "get_init_inputs" in space else []
    model = space["Model"](*arguments).eval().to(device)
    inputs = moved(space["get_inputs"](), device)
    torch.manual_seed(0)
    with torch.no_grad():
        return tree_leaves((torch.compile(model) if compiled else model)(*inputs))


def differ(expected, actual):
    return isinstance(expected, torch.Tensor) and not (
        isinstance(actual, torch.Tensor)
        and expected.shape == actual.shape
        and torch.allclose(expected.double(), actual.double(), rtol=1e-4, atol=1e-4)
    )


def reported(file, device):
    with open(file, encoding="utf-8") as source:
        space = {"__name__": "program", "__file__": file}
        exec(compile(source.read(), file, "exec"), space)
    try:
        expected = outputs(space, device, False)
    except Exception as error:
        return f"invalid: {type(error).__name__}"
    try:
        actual = outputs(space, device, True)
    except Exception as error:
        return f"bug: compiled raises {type(error).__name__}"
    if len(expected) != len(actual) or any(map(differ, expected, actual)):
        return "bug: outputs differ"
    return "same"


if __name__ == "__main__":
    print("\nusual: " + reported(sys.argv[2], sys.argv[1]).partition("\n")[0])
