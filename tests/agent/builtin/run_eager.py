"""Runs programs eager, one after another in this process, and says of each whether it ran: one JSON object a line.

The file given holds a line {"origin", "model", "program"} for each program. OPTIONS that matter in eager are honoured.
"""

import inspect
import json
import signal
import sys
import types

import torch
from torch.utils import _pytree as pytree


def tensors(values):
    return [leaf for leaf in pytree.tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def run(program):
    module = types.ModuleType("program")
    sys.modules["program"] = module
    exec(compile(program, "program.py", "exec"), module.__dict__)
    options = getattr(module, "OPTIONS", {})
    backward = options.get("backward", False)
    torch.manual_seed(0)
    model = module.Model(*getattr(module, "get_init_inputs", list)()).train(options.get("train", False))
    scales = "scale" in inspect.signature(module.get_inputs).parameters
    for call in range(options.get("calls", 1)):
        torch.manual_seed(0)
        inputs = module.get_inputs(scale=call + 1) if scales else module.get_inputs()
        if backward:
            for tensor in tensors(inputs):
                if tensor.is_leaf and tensor.is_floating_point():
                    tensor.requires_grad_()
        with torch.set_grad_enabled(backward or options.get("grad", False)):
            outputs = model(*inputs)
        if backward:
            sum(t.double().sum() for t in tensors(outputs) if t.is_floating_point() and t.requires_grad).backward()


def expire(_signal, _frame):
    raise TimeoutError("took longer than 30 seconds")


def main():
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, expire)
    with open(sys.argv[1]) as lines:
        for line in lines:
            asked = json.loads(line)
            error = ""
            signal.alarm(30)
            try:
                run(asked["program"])
            except Exception as problem:
                error = f"{type(problem).__name__}: {' '.join(str(problem).split())[:200]}"
            signal.alarm(0)
            verdict = {"origin": asked["origin"], "model": asked["model"], "valid": not error, "error": error}
            print(json.dumps(verdict), flush=True)


main()
