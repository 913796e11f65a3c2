"""The module's `same` against torch's own on generated pairs: every dtype and layout, Python values, all settings.

    same_pairs_test.py PARITYD [--pairs N] [--seed S]

Each pair is made from its own seed; a disagreement prints seed, settings and both answers. Not made: cosines of complex
tensors and of unlike shapes, a tensor against a Python value, complex32, which the C++ declines or no program returns.
"""

import argparse
import collections
import inspect
import logging
import math
import pathlib
import random
import sys
import warnings

import torch
from torch._dynamo.utils import same

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "executor" / "worker"))
from built_module import built_module

REAL = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
COMPLEX = [torch.complex64, torch.complex128]
WHOLE = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64]
DTYPES = [*REAL, *REAL, *COMPLEX, *WHOLE, torch.bool, torch.float8_e4m3fn]
# Around the bounds at which the multiplier changes, and those it has special words for.
SHAPES = [(), (1,), (0,), (3, 0), (2, 3), (7,), (10,), (11,), (5, 3, 4), (500,), (501,), (999,), (1000,), (25, 41)]
SHAPES += [(3, 5, 1, 1), (40, 30, 1, 1), (2, 600, 1)]
OPTIONAL = ("use_iou_for_bool", "iou_threshold")
KNOWN = [name for name in OPTIONAL if name in inspect.signature(same).parameters]


def settings_of(rng):
    chosen = {"equal_nan": rng.random() < 0.7, "tol": rng.choice([1e-4] * 6 + [1e-3, 2e-2, 4e-2, 1e-6, 0.0])}
    for name, share in (
        ("cos_similarity", 0.1),
        ("ignore_non_fp", 0.05),
        ("use_larger_multiplier_for_smaller_tensor", 0.2),
        ("force_max_multiplier", 0.05),
        ("use_iou_for_bool", 0.3),
    ):
        if rng.random() < share and (name in KNOWN or name not in OPTIONAL):
            chosen[name] = True
    if "iou_threshold" in KNOWN and rng.random() < 0.2:
        chosen["iou_threshold"] = rng.choice([0.5, 0.9])
    return chosen


def laid_out(rng, tensor):
    """The same values in other memory: gaps, an offset, another order of dimensions, lazy bits."""
    kind = rng.randrange(6)
    if kind == 1 and tensor.dim() > 0:
        wide = torch.zeros([*tensor.shape[:-1], 2 * tensor.shape[-1] + 3], dtype=tensor.dtype)
        view = wide[..., 3::2]
        view.copy_(tensor)
        return view
    if kind == 2 and tensor.dim() > 1:
        return tensor.transpose(0, 1).contiguous().transpose(0, 1)
    if kind == 3 and tensor.is_complex():
        return torch.conj(torch.conj_physical(tensor))
    if kind == 4 and (tensor.is_complex() or tensor.is_floating_point()) and tensor.element_size() > 1:
        return torch._neg_view(-tensor)
    return tensor


def numbers(rng, generator, shape):
    scale = rng.choice([1e-6, 1e-3, 1.0, 1.0, 100.0, 6e4, 1e30, 1e200])
    return torch.randn(shape, generator=generator, dtype=torch.float64) * scale, scale


def noise(rng, generator, values):
    size = rng.choice([0, 1e-12, 1e-7, 1e-5, 5e-5, 1e-4, 2e-4, 1e-3, 0.01, 0.3])
    relative = rng.random() < 0.7
    moved = size * torch.randn(values.shape, generator=generator, dtype=torch.float64)
    return moved * values.abs() if relative else moved


def sprinkled(rng, tensors):
    """NaN and infinities in the same or in other places."""
    for _ in range(rng.randrange(1, 3)):
        value = rng.choice([math.nan, math.nan, math.inf, -math.inf])
        where = rng.choices(range(3), k=rng.randrange(1, 4))
        for number in set(where):
            flat = tensors[number].view(-1)
            if flat.numel() > 0:
                flat[rng.randrange(flat.numel()) if rng.random() < 0.3 else 0] = value


def floats(rng, generator, dtype, shape, settings):
    exact, _ = numbers(rng, generator, shape)
    eager_noise = noise(rng, generator, exact)
    kind = rng.randrange(4)
    if kind == 0:  # close to the bound of the root mean squares
        compiled_noise = eager_noise * rng.choice([1.9, 1.99, 2.01, 2.1, 2.99, 3.01, 5.01, 7.99, 8.01, 9.99, 10.01])
    elif kind == 1:
        compiled_noise = eager_noise
    else:
        compiled_noise = noise(rng, generator, exact)
    trio = [exact + eager_noise, exact + compiled_noise, exact]
    if rng.random() < 0.25:
        sprinkled(rng, trio)
    eager, compiled, exact = trio
    eager, compiled = eager.to(dtype), compiled.to(dtype)
    if rng.random() < 0.25:  # the last bit of what is allowed
        compiled = compiled.clone()
        allowed = settings["tol"] + settings["tol"] * compiled.double().abs()
        eager = (compiled.double() + allowed * rng.choice([1, -1])).to(dtype)
        towards = torch.full_like(eager, rng.choice([math.inf, -math.inf]))
        for _ in range(rng.randrange(3)):
            eager = torch.nextafter(eager, towards)
    return eager, compiled, exact


def complexes(rng, generator, dtype, shape, settings):
    part = torch.float32 if dtype == torch.complex64 else torch.float64
    real = floats(rng, generator, part, shape, settings)
    imaginary = floats(rng, generator, part, shape, settings)
    eager, compiled = (torch.complex(real[i], imaginary[i]) for i in range(2))
    return eager, compiled, torch.complex(real[2], imaginary[2])


def wholes(rng, generator, dtype, shape):
    if dtype == torch.bool:
        share = rng.choice([0.02, 0.5, 1.0, 0.0])
        eager = torch.rand(shape, generator=generator) < share
        flipped = torch.rand(shape, generator=generator) < rng.choice([0, 0.005, 0.1])
        return eager, eager ^ flipped, eager.double()
    most = min(torch.iinfo(dtype).max, 2**62)
    least = max(torch.iinfo(dtype).min, -(2**62))
    bound = rng.choice([3, 100, 30000, 10**6, most])
    bits = torch.randint(max(least, -bound), min(most, bound), shape, generator=generator, dtype=torch.int64)
    moved = torch.randint(0, rng.choice([1, 2, 3, 60]), shape, generator=generator, dtype=torch.int64)
    moved *= torch.rand(shape, generator=generator) < rng.choice([0.01, 1])
    return bits.to(dtype), (bits + moved).clamp(least, most).to(dtype), bits.double() + rng.choice([0, 0.1, 1e-3])


def trio_of(rng, generator, settings):
    dtype, shape = rng.choice(DTYPES), rng.choice(SHAPES)
    if dtype in COMPLEX:
        eager, compiled, exact = complexes(rng, generator, dtype, shape, settings)
    elif dtype.is_floating_point and dtype.itemsize > 1:
        eager, compiled, exact = floats(rng, generator, dtype, shape, settings)
    elif dtype.is_floating_point:
        exact = torch.randn(shape, generator=generator).to(dtype)
        eager, compiled = exact, exact
    else:
        eager, compiled, exact = wholes(rng, generator, dtype, shape)
    odd = rng.random()
    if odd < 0.03:
        compiled = compiled.to(rng.choice([torch.float32, torch.int64, torch.bool]))
    elif odd < 0.06 and not settings.get("cos_similarity"):
        compiled = compiled.unsqueeze(0) if rng.random() < 0.5 else compiled.expand(2, *compiled.shape)
    elif odd < 0.08 and eager.dim() > 0 and not settings.get("cos_similarity"):
        compiled = compiled[..., :1]
    elif odd < 0.10 and eager.dim() > 1:
        exact = exact[:1]
    if rng.random() < 0.1:
        exact = exact.to(torch.complex128 if exact.is_complex() else rng.choice([torch.float32, dtype]))
    if settings.get("cos_similarity") and dtype in COMPLEX:
        eager, compiled, exact = eager.real, compiled.real, exact.real
    return tuple(laid_out(rng, tensor) for tensor in (eager, compiled, exact))


def values_of(rng):
    def one():
        return rng.choice([1, 0, 2, True, False, None, "a", "b", 1.0, 1.00005, 1.5, math.nan, math.inf, -0.0, 1 + 2j])

    eager = one()
    return eager, (eager if rng.random() < 0.4 else one()), eager


def recorded(module, mode, leaves):
    recorder = module.Recorder(mode)
    for number, leaf in enumerate(leaves):
        path = f"output[{number}]"
        if isinstance(leaf, torch.Tensor):
            recorder.add_tensor(path, "output", type(leaf).__name__, leaf)
        else:
            recorder.add_value(path, "output", type(leaf).__name__, repr(leaf))
    return recorder


def official(eager, compiled, exact, settings):
    try:
        return bool(same(eager, compiled, exact, log_error=lambda *_: None, **settings))
    except Exception:
        return None


def ours(module, eager, compiled, exact, settings):
    chosen = module.SameSettings()
    for name, value in settings.items():
        setattr(chosen, name, value)
    chosen.torch_minor = int(torch.__version__.split(".")[1])
    reference = None if exact is None else recorded(module, "reference", exact)
    return module.same(recorded(module, "eager", eager), recorded(module, "inductor", compiled), reference, chosen)


def pair_of(seed):
    rng = random.Random(seed)
    generator = torch.Generator().manual_seed(seed)
    settings = settings_of(rng)
    trios = [values_of(rng) if rng.random() < 0.05 else trio_of(rng, generator, settings)]
    if rng.random() < 0.1:
        trios.append(trio_of(rng, generator, settings))
    eager, compiled, exact = (list(side) for side in zip(*trios, strict=True))
    return eager, compiled, (None if rng.random() < 0.1 else exact), settings


def describe(leaf):
    return f"{leaf.dtype} {list(leaf.shape)}" if isinstance(leaf, torch.Tensor) else repr(leaf)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parityd")
    parser.add_argument("--pairs", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    sys.path.insert(0, built_module(arguments.parityd))
    import parityd_worker

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    counts, wrong = collections.Counter(), 0
    for seed in range(arguments.seed, arguments.seed + arguments.pairs):
        eager, compiled, exact, settings = pair_of(seed)
        wanted = official(eager, compiled, exact, settings)
        got, why = ours(parityd_worker, eager, compiled, exact, settings)
        counts[wanted] += 1
        if got != wanted:
            wrong += 1
            if wrong <= 20:
                leaves = [", ".join(map(describe, side)) for side in (eager, compiled, exact or [])]
                print(f"seed {seed}: torch {wanted}, ours {got} ({why}); {settings}; {leaves}")
    print(f"torch {torch.__version__}: {arguments.pairs} pairs, {wrong} answered otherwise; torch said {dict(counts)}")
    # Each answer must occur often enough for agreement to mean something.
    return 1 if wrong or arguments.pairs < 100 or min(counts[True], counts[False], counts[None]) == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
