"""Programs that ask whether they are compiled: with torch.compiler.is_compiling() and the like, or by looking at the
stack. While entered, a Questions records what the program's own code asks and answers as instructed. Torch's own code
gets the truth."""

import importlib
import inspect
import sys
import traceback
from collections.abc import Callable
from typing import Any

# All return False in eager mode and True in what Dynamo captures. torch.compiler.is_exporting() returns False in both.
_ASKED = (
    ("torch.compiler", "is_compiling"),
    ("torch.compiler", "is_dynamo_compiling"),
    ("torch._dynamo", "is_compiling"),
    ("torch._dynamo.external_utils", "is_compiling"),
    ("torch._utils", "is_compiling"),
    ("torch.distributed._functional_collectives", "is_torchdynamo_compiling"),
)
_FLAG = ("torch.compiler", "_is_compiling_flag")
_TRACERS = (("sys", "gettrace"), ("sys", "getprofile"), ("threading", "gettrace"), ("threading", "getprofile"))
_WALKERS = (inspect.__file__, traceback.__file__)
STACK = "the stack"
# A program whose text has none of these words asks nothing.
_WORDS = ("compil", "dynamo", "frame", "trace", "stack", "profile", "tb_", "currentframe")


def may_ask(source: str) -> bool:
    return any(word in source for word in _WORDS)


class Questions:
    """`told`: the questions answered with yes. `moved`: code that looks at the stack sees its caller's."""

    def __init__(self, file: str, told: frozenset[str] = frozenset(), moved: bool = False) -> None:
        self.asked: set[str] = set()
        self._file = file
        self._told = told
        self._moved = moved
        self._originals: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> "Questions":
        for name, attribute in _ASKED:
            self._replace(name, attribute, self._asking(f"{name}.{attribute}"))
        for name, attribute in _TRACERS:
            self._replace(name, attribute, self._tracing)
        self._replace("sys", "_getframe", self._frame)
        name = ".".join(_FLAG)
        if name in self._told:
            self._replace(*_FLAG, lambda _: True)
        return self

    def __exit__(self, *_: Any) -> None:
        for module, attribute, original in reversed(self._originals):
            setattr(module, attribute, original)
        self._originals.clear()

    def _replace(self, name: str, attribute: str, replacement: Callable[[Any], Any]) -> None:
        # If a program imported the module only during its own run, it would get the original.
        wanted = name == "threading" or name.startswith("torch._dynamo")
        module = importlib.import_module(name) if wanted else sys.modules.get(name)
        original = getattr(module, attribute, None)
        if original is not None:
            self._originals.append((module, attribute, original))
            setattr(module, attribute, replacement(original))

    def _is_own(self, frame: Any) -> bool:
        while frame is not None and frame.f_code.co_filename in _WALKERS:
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename == self._file

    def _asking(self, question: str) -> Callable[[Any], Any]:
        def replacement(original: Any) -> Any:
            def answer() -> bool:
                if not self._is_own(inspect_frame(1)):
                    return original()
                self.asked.add(question)
                return question in self._told or original()

            return answer

        return replacement

    def _tracing(self, original: Any) -> Any:
        def answer() -> Any:
            if not self._is_own(inspect_frame(1)):
                return original()
            self.asked.add(STACK)
            return (original() or (lambda *_: None)) if self._moved else original()

        return answer

    def _frame(self, original: Any) -> Any:
        def answer(depth: int = 0, /) -> Any:
            found = original(depth + 1)
            if self._is_own(original(1)):
                self.asked.add(STACK)
                return (found.f_back or found) if self._moved else found
            return found

        return answer


inspect_frame = sys._getframe


def flag_of(source: str) -> frozenset[str]:
    """The flag behind the questions is an attribute, not a call that could be observed."""
    return frozenset([".".join(_FLAG)]) if _FLAG[1] in source else frozenset()
