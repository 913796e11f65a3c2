"""What comparing costs: torch._dynamo.utils.same with a double reference against the fused measurement of eager,
compiled and reference, and both against copying the same bytes, on the same tensors.

    compare_cost.py MODULE_FOLDER DEVICE REPEATS

Prints one line of JSON. Compiled differs in a few elements, so that `same` has to ask its reference. `bandwidth` is the
fused measurement's bytes a second over a copy's, which reads and writes. `record` is what copying the tensors for the
measurement costs, apart.
"""

import json
import logging
import statistics
import sys
import time

import torch
from torch._dynamo.utils import same

sys.path.insert(0, sys.argv[1])

import parityd_worker

DEVICE, REPEATS = sys.argv[2], int(sys.argv[3])
SHAPES = [(16, 16), (256, 1024), (8, 16, 64, 64), (1024, 1024), (2048, 2048)]
if DEVICE == "cuda":
    SHAPES += [(8192, 8192), (16384, 8192)]  # 256 MiB and more in each tensor
DTYPES = [torch.float32, torch.bfloat16, torch.float64, torch.int64]
PAIRS = [("eager", "inductor"), ("reference", "eager"), ("reference", "inductor")]


def tensors(shape, dtype):
    """Eager, compiled, reference."""
    generator = torch.Generator(DEVICE).manual_seed(0)
    reference = torch.randn(shape, generator=generator, device=DEVICE, dtype=torch.float64) * 4
    expected = reference.to(dtype)
    if not dtype.is_floating_point:
        return expected, expected.clone(), expected.clone()
    actual = expected.clone()
    actual.view(-1)[::1009] += 0.01  # beyond the tolerance, within twice eager's error or not: same must look
    return expected, actual, reference


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
    recorder = parityd_worker.Recorder(mode, on_device=True)
    recorder.add_tensor("output", "output", "Tensor", tensor)
    return recorder


def records(trio):
    return [recorded(mode, tensor) for mode, tensor in zip(("eager", "inductor", "reference"), trio, strict=True)]


def fused(trio):
    recorders = records(trio)
    return lambda: parityd_worker.compare(recorders, PAIRS)


def cost(shape, dtype):
    trio = tensors(shape, dtype)
    copies = [torch.empty_like(tensor) for tensor in trio]
    works = {
        "same": lambda: same(*trio, equal_nan=True),
        "fused": fused(trio),
        "copy": lambda: [copy.copy_(tensor) for copy, tensor in zip(copies, trio, strict=True)],
        "record": lambda: records(trio),
    }
    rounds = [{name: seconds_of(work) for name, work in works.items()} for _ in range(REPEATS)]
    row = {"shape": list(shape), "dtype": str(dtype).removeprefix("torch.")}
    row["bytes"] = sum(tensor.nbytes for tensor in trio)
    row |= {name: statistics.median(one[name] for one in rounds) for name in works}
    return row | {"bandwidth": row["copy"] / (2 * row["fused"])}


def main():
    logging.disable(logging.CRITICAL)
    rows = [cost(shape, dtype) for shape in SHAPES for dtype in DTYPES]
    ratio = statistics.median(row["same"] / row["fused"] for row in rows)
    largest = max(row["bytes"] for row in rows)
    bandwidth = statistics.median(row["bandwidth"] for row in rows if row["bytes"] >= min(256 << 20, largest))
    print(json.dumps({"ratio": ratio, "bandwidth": bandwidth, "rows": rows}))


if __name__ == "__main__":
    main()
