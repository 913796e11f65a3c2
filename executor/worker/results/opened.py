"""The contents of a Python value, container or object: its children, each with the Python that reaches it."""

import argparse
import collections
import copyreg
import dataclasses
import functools
import io
import itertools
import math
import sys
import types
import warnings
import weakref
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
from plain import capped, full_name, key_text, plain_text

PROGRAM = "parityd_program"
MOST_ENTRIES = 4096  # of one container, sorted or passed to pickling
# contents depend on the garbage collector
_UNSTEADY = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet)
_CLOSED = (io.IOBase, types.GeneratorType, types.CoroutineType, types.FrameType, types.CodeType, torch._C.Generator)
_ACCESSORS = (property, classmethod, staticmethod, functools.cached_property, types.MemberDescriptorType,
              types.GetSetDescriptorType)  # fmt: skip
_FAMILIAR = (types.SimpleNamespace, argparse.Namespace, torch.distributions.Distribution,
             torch.distributions.transforms.Transform)  # fmt: skip
_CACHES = (functools.cached_property, torch.distributions.utils.lazy_property)
# Names that the compiler or Python itself sets on objects.
_HARNESS = ("_dynamo", "_torchdynamo", "_is_torch_compile", "_compiled_call_impl", "__")
_CONTAINERS = (Mapping, collections.deque, tuple, list, set, frozenset)
_MODULE_INTERNALS = frozenset(vars(torch.nn.Module()))
_TENSOR_PARTS = ("_parameters", "_buffers", "_modules")


class Opened(NamedTuple):
    text: str  # of the value itself: its size or its names
    children: list[tuple[str, Any]]  # suffix of the path, with the value there


def opened(value: Any, foreign: bool = True) -> Opened | None:
    """None if nothing shows what is inside, or if the value is foreign and `foreign` is false."""
    for kinds, open_it in _BY_TYPE:
        if isinstance(value, kinds):
            return _with_attributes(value, open_it(value)) if open_it else None
    if not foreign and not is_own(value) and not isinstance(value, _FAMILIAR):
        return None
    if dataclasses.is_dataclass(value) or _slots(value) or hasattr(value, "__dict__"):
        return _object(value)
    return _reduced(value)


def _with_attributes(value: Any, found: Opened) -> Opened:
    """Adds the attributes of a container that is of a class of the program's own."""
    if isinstance(value, _CONTAINERS) and getattr(value, "__dict__", None):
        found.children.extend(_named(attributes(value)))
    return found


def is_own(value: Any) -> bool:
    """Whether the program itself defines what the value is made of."""
    if isinstance(value, types.FunctionType):
        return value.__code__.co_filename == getattr(sys.modules.get(PROGRAM), "__file__", None)
    kind = value if isinstance(value, type) else type(value)
    return kind.__module__ == PROGRAM


def attributes(value: Any) -> dict[str, Any]:
    """Attributes of the object itself, in order of creation, except those kept there by Python, torch or a cache."""
    found = {name: getattr(value, name) for name in _slots(value) if hasattr(value, name)}
    found |= getattr(value, "__dict__", {})
    kind = type(value)
    return {name: child for name, child in found.items() if isinstance(name, str) and not _is_kept(kind, name)}


def _is_kept(kind: type, name: str) -> bool:
    described = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    return name.startswith(_HARNESS) or isinstance(described, _CACHES)


def _slots(value: Any) -> list[str]:
    names = []
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            hidden = name.startswith("__") and not name.endswith("__")
            names.append(f"_{kind.__name__.lstrip('_')}{name}" if hidden else name)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def module_attributes(module: torch.nn.Module) -> dict[str, Any]:
    return {name: child for name, child in attributes(module).items() if name not in _MODULE_INTERNALS}


def _named(names: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(f".{name}", child) for name, child in names.items()]


def _object(value: Any) -> Opened:
    found = attributes(value)
    return Opened(capped(", ".join(found)), _named(found))


def _module(module: torch.nn.Module) -> Opened:
    found = dict(itertools.chain.from_iterable(vars(module).get(part, {}).items() for part in _TENSOR_PARTS))
    found |= module_attributes(module)
    return Opened(capped(", ".join(found)), _named(found))


def _mapping(value: Mapping) -> Opened:
    children, texts = [], []
    for index, (key, child) in enumerate(value.items()):
        text = key_text(key)
        if text is None or text in texts:
            children += [(f".keys()[{index}]", key), (f".values()[{index}]", child)]
        else:
            children.append((f"[{text}]", child))
        texts.append(text or full_name(type(key)))
    return Opened(capped(", ".join(texts)), children)


def _sequence(value: Any) -> Opened:
    return Opened(str(len(value)), [(f"[{index}]", child) for index, child in enumerate(value)])


def _deque(value: collections.deque) -> Opened:
    return Opened(f"{len(value)}, maxlen={value.maxlen}", _sequence(value).children)


def _tuple(value: tuple) -> Opened:
    names = getattr(value, "_fields", None)
    if isinstance(names, tuple) and len(names) == len(value):
        return Opened(", ".join(names), list(zip((f".{name}" for name in names), value, strict=True)))
    return _sequence(value)


def _set(value: Any) -> Opened:
    texts = [None if isinstance(child, (float, complex)) else key_text(child) for child in value]
    if all(text is not None for text in texts):
        return Opened(capped(f"{{{', '.join(sorted(texts))}}}"), [])
    ordered = sorted(itertools.islice(value, MOST_ENTRIES), key=_order)
    return Opened(str(len(value)), [(f"{{{index}}}", child) for index, child in enumerate(ordered)])


def _order(value: Any) -> tuple:
    """A sort key for values of one type that rounding does not change unless values are nearly equal."""
    numbers: list[float] = []
    if isinstance(value, torch.Tensor) and value.layout == torch.strided and not value.is_nested:
        flat = value.detach().flatten()[:MOST_ENTRIES]
        numbers = (torch.view_as_real(flat.resolve_conj()).flatten() if flat.is_complex() else flat).tolist()
        numbers = [float(len(value.shape)), *map(float, value.shape), *numbers]
    elif isinstance(value, (int, float, complex)):
        numbers = [complex(value).real, complex(value).imag] if abs(value) < 1 << 512 else [math.inf]
    elif isinstance(value, tuple):
        return type(value).__name__, [], "", [_order(part) for part in value]
    numbers = [math.inf if number != number else number for number in map(float, numbers)]
    return type(value).__name__, numbers, key_text(value) or "", []


def _function(value: types.FunctionType) -> Opened:
    cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
    children = [(f".{name}", cell.cell_contents) for name, cell in cells if _is_filled(cell)]
    children += [(f".__defaults__[{index}]", child) for index, child in enumerate(value.__defaults__ or ())]
    children += [(f".__kwdefaults__[{name!r}]", child) for name, child in (value.__kwdefaults__ or {}).items()]
    children += _named(attributes(value))
    children = [(suffix, child) for suffix, child in children if plain_text(child) is None]
    return Opened(value.__name__, children if is_own(value) else [])


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # a name that has no value yet
        return False


def _class(value: type) -> Opened:
    """One of the program's classes with its data; its attributes are shared by all its objects."""
    found = {}
    for name, child in vars(value).items() if is_own(value) else ():
        if not name.startswith("_") and not callable(child) and not isinstance(child, _ACCESSORS):
            found[name] = child
    return Opened(capped(value.__qualname__), _named(found))


def _method(value: types.MethodType) -> Opened:
    return Opened(getattr(value, "__name__", ""), [(".__self__", value.__self__)])


def _slice(value: slice) -> Opened:
    return Opened("", [(".start", value.start), (".stop", value.stop), (".step", value.step)])


def _partial(value: functools.partial) -> Opened:
    return Opened("", [(".func", value.func), (".args", value.args), (".keywords", value.keywords)])


def _reference(value: weakref.ref) -> Opened:
    return Opened("", [("()", value())])


def _exception(value: BaseException) -> Opened:
    return Opened("", [(".args", value.args), *_named(attributes(value))])


def _optimizer(value: torch.optim.Optimizer) -> Opened:
    """Except what Dynamo sets if parameters are on a GPU (torch/_dynamo/variables/optimizer.py)."""
    groups = [{name: entry for name, entry in group.items() if name != "capturable"} for group in value.param_groups]
    return Opened("", [(".state", value.state), (".param_groups", groups)])


def _stateful(value: Any) -> Opened:
    return Opened("", _mapping(value.state_dict()).children)


def _reduced(value: Any) -> Opened | None:
    """What pickling would keep of an object without readable attributes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reduced = value.__reduce_ex__(2)
    if isinstance(reduced, str):
        return Opened(capped(reduced), [])
    make, arguments, state, entries, pairs, *_ = *reduced, None, None, None
    arguments = arguments[1:] if make is copyreg.__newobj__ else arguments
    text = "" if make is copyreg.__newobj__ else plain_text(make) or full_name(type(make))
    kept = {"arguments": arguments or None, "state": state, "entries": _some(entries), "pairs": _some(pairs)}
    return Opened(text, _named({name: child for name, child in kept.items() if child is not None}))


def _some(values: Iterator | None) -> list | None:
    return None if values is None else list(itertools.islice(values, MOST_ENTRIES))


# In order: the first that fits opens the value. None: it cannot be opened.
_BY_TYPE: tuple = (
    (_UNSTEADY, None),
    (_CLOSED, None),
    (Mapping, _mapping),
    (collections.deque, _deque),
    (tuple, _tuple),
    (list, _sequence),
    ((set, frozenset), _set),
    (torch.nn.Module, _module),
    (type, _class),
    (types.FunctionType, _function),
    (types.MethodType, _method),
    (slice, _slice),
    (functools.partial, _partial),
    (weakref.ref, _reference),
    (BaseException, _exception),
    (torch.optim.Optimizer, _optimizer),
    ((torch.optim.lr_scheduler.LRScheduler, torch.amp.GradScaler), _stateful),
)
