"""Programs with activation checkpoints (torch.utils.checkpoint). Backward computes a checkpointed part anew, and the
documentation promises nothing if that gives something else, as when the part reads what was written in between. While
entered, Checkpoints keeps what such parts compute, as if they were called plainly."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

_MODULE = "torch.utils.checkpoint"


def may_checkpoint(source: str) -> bool:
    """Whether backward may compute a part anew."""
    return "checkpoint" in source and "backward" in source


class _Plain:
    @staticmethod
    def apply(function: Any, _: bool, *arguments: Any) -> Any:
        return function(*arguments)


def _entered(*_: Any, context_fn: Callable[[], Any] | None = None, **__: Any) -> Iterator[None]:
    with contextlib.nullcontext() if context_fn is None else context_fn()[0]:
        yield


class Checkpoints:
    # What torch.utils.checkpoint.checkpoint calls, with and without use_reentrant; the last name from torch 2.14 on.
    _REPLACED = {
        "CheckpointFunction": _Plain,
        "_checkpoint_without_reentrant_generator": _entered,
        "_checkpoint_without_reentrant_generator_impl": _entered,
    }

    def __init__(self) -> None:
        module = sys.modules[_MODULE]
        self._originals = {name: getattr(module, name) for name in self._REPLACED if hasattr(module, name)}

    def __enter__(self) -> "Checkpoints":
        for name in self._originals:
            setattr(sys.modules[_MODULE], name, self._REPLACED[name])
        return self

    def __exit__(self, *_: Any) -> None:
        for name, original in self._originals.items():
            setattr(sys.modules[_MODULE], name, original)
