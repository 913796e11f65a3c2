"""Lowerings of a compiler that does not exist: what units are read from is tried on it."""

from torch._decomp import decompositions
from torch._inductor.utils import is_small, register_lowering, register_pointwise

aten = None


def promoted(x, y):
    # Which dtype both come to.
    return x if is_small(x) else y


@register_lowering(aten.double_up, broadcast=True)
def double_up(x, *, by=2):
    """Twice as much."""
    y = promoted(x, by)
    for _ in range(by - 1):
        y = y + x
    return decompositions.doubled(y)


def forward_only(x):
    return double_up(x)


halve = register_pointwise(aten.halve)
register_pointwise(aten.third)


class Layout:
    def size(self):
        pass

    def stride(self):
        strides = []
        for size in self.size():
            strides.append(size * promoted(size, 1))
        return strides


if aten is not None:

    @register_lowering([aten.fourth.default, aten.fourth.out])
    def fourth(x):
        return halve(
            halve(
                x,
            ),
        )
