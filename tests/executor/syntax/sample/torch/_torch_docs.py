"""Docstrings as they are added to functions that are not written in Python."""

torch = None


def add_docstr(function, text):
    return function, text


add_docstr(
    torch.double_up,
    """
double_up(input, *, by=2) -> Tensor

Adds :attr:`input` to itself.
"""
    + """
Args:
    {input}

Example::

    >>> double_up(x)
""".format(input="x"),
)
