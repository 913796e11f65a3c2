"""The program under one of PyTorch's debugging tools, its runs, and the file for the tool's text."""

import contextlib
import io
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import modes
import parityd_worker
import routes
import torch
from program import Program

TEXT_CAP = 1 << 20


class Text(io.TextIOBase):
    """The answer's file. Every write is on disk at once, so that output written before the process died is kept.
    Folders of this machine are shortened to the part that identifies a file in them; past the cap the rest is only
    counted."""

    def __init__(self, path: str, shortened: dict[str, str]) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self._file = open(path, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
        self._shortened = shortened
        self._room = TEXT_CAP
        self._left_out = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        for long, short in self._shortened.items():
            text = text.replace(long, short)
        kept = text[: self._room]
        self._room -= len(kept)
        self._left_out += len(text) - len(kept)
        self._file.write(kept)
        self._file.flush()
        return len(text)

    def begin_end(self) -> None:
        """What follows is short and always kept."""
        if self._left_out:
            self._file.write(f"\n… {self._left_out} more characters are left out\n")
        self._room = 64 << 10


class Observed(modes.Execution):
    """A mode run with a tool's settings, or with a callable of the tool's instead of the compiled model."""

    def __init__(
        self, subject: "Subject", plan: modes.Plan, settings: dict[str, dict[str, Any]], target: Callable | None
    ) -> None:
        super().__init__(subject.program, plan, parityd_worker.Recorder(plan.name), subject.report_step(plan.name))
        self._tool_settings = settings
        self._target = target

    def _compiled(self, called: Callable[..., Any], model: torch.nn.Module) -> Callable[..., Any]:
        return self._target(self, called) if self._target else super()._compiled(called, model)

    def compile(self, called: Callable[..., Any], backend: Any) -> Callable[..., Any]:
        """Compiles with torch.compile as the program's options say, but with another backend."""
        return routes.How(backend, self._dynamic, self.program.options.fullgraph).compiled(called)

    @contextlib.contextmanager
    def _settings(self) -> Iterator[None]:
        import torch._dynamo.config as dynamo
        import torch._inductor.config as inductor

        asked = self._tool_settings
        with (
            super()._settings(),
            dynamo.patch(asked.get("dynamo", {})),
            inductor.patch(asked.get("inductor", {})),
        ):
            yield

    settings = _settings  # for what a tool compiles after the run


class Subject:
    """The program under a tool."""

    def __init__(self, message: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
        self.message = message
        self.folder = os.path.dirname(message["file"])
        self.program = Program(message["program"], message["file"])
        self.own_mode = self.program.options.mode
        self.deadline = time.monotonic() + message["seconds"]
        self.outcome: dict[str, Any] | None = None
        # sent with the answer instead of in the file, to which processes started by a program could write
        self.answer = ""
        self._send = send
        site = os.path.dirname(os.path.dirname(torch.__file__))
        self.text = Text(message["output"], {self.folder + os.sep: "", site + os.sep: ""})

    def report_step(self, mode: str) -> Callable[[str], None]:
        return lambda step: self._send({"type": "step", "id": self.message["id"], "mode": mode, "step": step})

    def observed(
        self, mode: str = "", settings: dict[str, dict[str, Any]] | None = None, target: Callable | None = None
    ) -> Observed:
        plan = modes.Plan(mode or self.own_mode, self.own_mode, self.message["device"], self.message["seed"])
        return Observed(self, plan, settings or {}, target)

    def run(
        self, mode: str = "", settings: dict[str, dict[str, Any]] | None = None, target: Callable | None = None
    ) -> dict[str, Any]:
        """Runs the program's own compiled mode unless another is named. The result is reported at the end of the
        answer."""
        execution = self.observed(mode, settings, target)
        execution.run()
        self.outcome = {"mode": execution.plan.name, **execution.outcome}
        return self.outcome

    def ending(self) -> str:
        if self.outcome is None:
            return ""
        mode, error = self.outcome["mode"], self.outcome.get("error")
        if error is None:
            return f"\n== {mode} ran: {self.outcome['graphs']} graphs captured\n"
        said = f"\n== {mode} raised {error['outer_class']} in step {self.outcome['step']}: {error['message']}\n"
        return said + error["traceback"] + "\n"
