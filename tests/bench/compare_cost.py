"""What comparing costs: torch._dynamo.utils.same against the worker's fused measurement, on the same tensors.

    compare_cost.py MODULE_FOLDER DEVICE REPEATS

Prints one line of JSON. `record` is what copying the tensors for the measurement costs, apart.
"""

import json
import statistics
import sys
import time

import torch
from torch._dynamo.utils import same

sys.path.insert(0, sys.argv[1])

import parityd_worker

DEVICE, REPEATS = sys.argv[2], int(sys.argv[3])
SHAPES = [(16, 16), (64, 256), (256, 1024), (8, 16, 64, 64), (1024, 1024)]
DTYPES = [torch.float32, torch.bfloat16, torch.float64, torch.int64]


def tensors(shape, dtype):
    generator = torch.Generator().manual_seed(0)
    expected = (torch.randn(shape, generator=generator) * 4).to(dtype)
    actual = expected.clone()
    if dtype.is_floating_point:  # what two correct kernels leave: last bits differ
        nudge = 1 + torch.finfo(dtype).eps * torch.randint(-1, 2, shape, generator=generator).to(dtype)
        actual = expected * nudge
    return expected.to(DEVICE), actual.to(DEVICE)


def seconds_of(work):
    """A call's time, of enough calls in a row that the clock's own cost vanishes."""
    work()
    synchronize()
    calls, began = 0, time.perf_counter()
    while calls < 3 or time.perf_counter() - began < 0.02:
        work()
        calls += 1
    synchronize()
    return (time.perf_counter() - began) / calls


def synchronize():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def recorded(mode, tensor):
    recorder = parityd_worker.Recorder(mode)
    recorder.add_tensor("output", "output", "Tensor", tensor)
    return recorder


def cost(shape, dtype):
    expected, actual = tensors(shape, dtype)
    recorders = [recorded("eager", expected), recorded("inductor", actual)]
    row = {"shape": list(shape), "dtype": str(dtype).removeprefix("torch.")}
    works = {
        "same": lambda: same(expected, actual, equal_nan=True),
        "fused": lambda: parityd_worker.compare(recorders, [("eager", "inductor")]),
        "record": lambda: (recorded("eager", expected), recorded("inductor", actual)),
    }
    rounds = [{name: seconds_of(work) for name, work in works.items()} for _ in range(REPEATS)]
    return row | {name: statistics.median(one[name] for one in rounds) for name in works}


def main():
    rows = [cost(shape, dtype) for shape in SHAPES for dtype in DTYPES]
    ratio = statistics.median(row["same"] / row["fused"] for row in rows)
    print(json.dumps({"ratio": ratio, "rows": rows}))


if __name__ == "__main__":
    main()
