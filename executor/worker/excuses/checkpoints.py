"""Programs with activation checkpoints (torch.utils.checkpoint). Backward computes a checkpointed part anew, and the
documentation promises nothing if that gives something else, as when the part reads what was written in between. While
entered, Checkpoints keeps what such parts compute, as if they were called plainly."""

import sys
from collections.abc import Iterator
from typing import Any

_MODULE = "torch.utils.checkpoint"


def may_checkpoint(source: str) -> bool:
    return "checkpoint" in source


class _Plain:
    @staticmethod
    def apply(function: Any, _: bool, *arguments: Any) -> Any:
        return function(*arguments)


def _nothing(*_: Any, **__: Any) -> Iterator[None]:
    yield


class Checkpoints:
    # What torch.utils.checkpoint.checkpoint calls with and without use_reentrant.
    _REPLACED = (("CheckpointFunction", _Plain), ("_checkpoint_without_reentrant_generator", _nothing))

    def __init__(self) -> None:
        self._originals: dict[str, Any] = {}

    def __enter__(self) -> "Checkpoints":
        module = sys.modules[_MODULE]
        for name, replacement in self._REPLACED:
            self._originals[name] = getattr(module, name)
            setattr(module, name, replacement)
        return self

    def __exit__(self, *_: Any) -> None:
        for name, original in self._originals.items():
            setattr(sys.modules[_MODULE], name, original)
