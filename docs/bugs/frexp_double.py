"""The exponent of float64 is given the wrong number of vector lanes."""

import torch


def f(x):
    m, e = torch.frexp(x)
    return m * e


x = torch.linspace(-1, 1, 8, dtype=torch.float64)
f(x)
torch.compile(f)(x)
# raises InductorError: CppCompileError: C++ compile error
