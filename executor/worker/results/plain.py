"""Python values that a text describes completely, identical in every process: addresses and unordered parts are left
out."""

import datetime
import decimal
import enum
import fractions
import hashlib
import pathlib
import re
import types
import uuid
from typing import Any

import torch

VALUE_CAP = 200
_HASHED = 16

_ATOMS = (
    bool, str, bytes, bytearray, range, type(None), type(...), type(NotImplemented),
    torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size,
    datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo,
    decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PurePath, re.Pattern,
)  # fmt: skip
_NAMED = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, torch._ops.OperatorBase)


def capped(text: str) -> str:
    """A long text keeps its beginning and a hash of the whole: two that differ at their ends stay different."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x", text)
    if len(text) <= VALUE_CAP:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASHED]
    return f"{text[: VALUE_CAP - _HASHED - 2]}… {digest}"


def plain_text(value: Any) -> str | None:
    """None: the value is not plain."""
    if isinstance(value, enum.Enum):
        return capped(f"{type(value).__name__}.{value.name}")
    if isinstance(value, int) and not isinstance(value, bool):
        return capped(repr(int(value)) if abs(value) < 1 << 128 else hex(value)[2:])
    if isinstance(value, _ATOMS):
        return capped(repr(value))
    if isinstance(value, type):
        return capped(value.__qualname__)
    if isinstance(value, types.ModuleType):
        return capped(value.__name__)
    if isinstance(value, _NAMED):
        return capped(str(getattr(value, "__qualname__", value)))
    return None


def key_text(key: Any) -> str | None:
    """For a mapping's key or a set's element; None if only opening it would tell."""
    if isinstance(key, (float, complex)):
        return repr(key)
    if type(key) not in (tuple, frozenset):
        return plain_text(key)
    texts = [key_text(part) for part in key]
    if any(text is None for text in texts):
        return None
    return capped(f"({', '.join(texts)})" if type(key) is tuple else f"{{{', '.join(sorted(texts))}}}")


def full_name(kind: type) -> str:
    """A type as messages name it: "collections.Foo", or "Foo" for the program's own."""
    module = kind.__module__
    own = not isinstance(module, str) or module in ("builtins", "parityd_program")
    return kind.__qualname__ if own else f"{module}.{kind.__qualname__}"
