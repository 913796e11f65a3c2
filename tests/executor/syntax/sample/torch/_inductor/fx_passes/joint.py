"""A pass whose patterns are registered by a call in a function."""

from ..utils import register_lowering as register_replacement


def pattern(x):
    first = x + 0
    return first


def replacement(x):
    second = x
    return second


def begin():
    for searched, becomes in ((pattern, replacement),):
        print(searched, becomes)
    register_replacement(pattern, replacement, device="cpu")
