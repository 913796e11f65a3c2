"""Decompositions of the sample."""


def doubled(x):
    total = x
    total = total + x
    return total
