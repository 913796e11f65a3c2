"""A finding's stand-alone script, run as a maintainer runs it: by a plain interpreter that holds none of this code.

Not for `parityd inspect`: the daemon requests it. The script is started by exec in its own folder and environment and
runs twice: unmodified, and with the compiler off. It must show the fault the first time and must not the second time: a
program that distinguishes the two sides by anything except compilation, or that itself ends the interpreter, "shows" it
either way. docs/disposition.md says what this does not catch.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import parityd_worker
import state
import vector_isa
from shared_cache import SharedCache

if TYPE_CHECKING:
    from inspect_subject import Subject

# Seconds: a script waits 200 for a compiled run that hangs, and both runs end before a tool's deadline.
LIMIT = 230
LIMIT_OFF = 50  # without the compiler
OFF = {"TORCHDYNAMO_DISABLE": "1", "TORCH_COMPILE_DISABLE": "1"}  # torch's own switches
KEPT = 6_000  # characters of a stream, from its end
SENTENCE = 400
_PR_SET_DUMPABLE = 4


@dataclass(frozen=True)
class Ran:
    status: int | None  # below 0: a signal; None: it did not end in time
    seconds: float
    output: str
    errors: str

    def says(self, word: str) -> bool:
        """Whether `word` is in its last line: something that ends the interpreter earlier has an exit status, too."""
        return self.last_line() == word or self.last_line().startswith(word + ": ")

    def last_line(self) -> str:
        return "".join(self.output.rstrip().splitlines()[-1:])[:SENTENCE]

    def ending(self) -> str:
        if self.status is None:
            return "did not end in time"
        return f"signal {-self.status}" if self.status < 0 else f"exit status {self.status}"

    def text(self, how: str) -> str:
        errors = f"-- standard error\n{self.errors}" if self.errors else ""
        return f"\n== {how}: {self.ending()}, {self.seconds:.1f} s\n{self.output}{errors}"


def script(subject: "Subject") -> None:
    _close_memory()
    ran = _run(subject, "alone", {}, LIMIT)
    verdict, text = _verdict(ran), ran.text("run alone")
    if verdict == "shown":
        off = _run(subject, "off", OFF, LIMIT_OFF)
        text += off.text(f"run alone with the compiler off, {' '.join(f'{name}=1' for name in OFF)}")
        if off.status == 0:
            verdict = "not shown: it says the same with the compiler off"
        elif off.status is None:
            verdict = "cannot tell: with the compiler off it does not end"
    subject.answer = f"{verdict}\n{text}"


def regression(subject: "Subject") -> None:
    """A regression test: a script that ends with status 0 if torch is right."""
    _close_memory()
    ran = _run(subject, "alone", {}, LIMIT)
    raised = "".join(ran.errors.rstrip().splitlines()[-1:])[:SENTENCE]
    verdict = "passes" if ran.status == 0 else f"fails: {ran.ending()}" + (f", {raised}" if raised else "")
    subject.answer = f"{verdict}\n{ran.text('run alone')}"


def _verdict(ran: Ran) -> str:
    if ran.status == 0:
        return "shown" if ran.says("shown") else "not shown: it ends with status 0 before it has compared anything"
    if ran.status == 1 and ran.says("not shown"):
        return ran.last_line()
    raised = "".join(ran.errors.rstrip().splitlines()[-1:])[:SENTENCE]
    return f"cannot tell: {ran.ending()}" + (f", {raised}" if raised and ran.status else "")


def _close_memory() -> None:
    """The script's processes run as this user: they must not write to the memory from which the answer is made."""
    if ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise RuntimeError("prctl(PR_SET_DUMPABLE) failed")
    parityd_worker.adopt_orphans()  # processes that the script leaves running are ended here


def _run(subject: "Subject", name: str, settings: dict[str, str], limit: float) -> Ran:
    folder = os.path.join(subject.folder, name)
    os.makedirs(os.path.join(folder, "home"))
    path = os.path.join(folder, "repro.py")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(subject.message["program"])
    own = {
        "HOME": os.path.join(folder, "home"),
        "TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "inductor"),
        "TRITON_CACHE_DIR": os.path.join(folder, "triton"),
    }
    own |= vector_isa.settings_of(SharedCache(os.environ.get("PARITYD_CACHE", "")))
    ours = {variable for variable in os.environ if variable.startswith("PARITYD_")}
    environment = {key: value for key, value in os.environ.items() if key not in ours} | own | settings
    started = time.monotonic()
    with tempfile.TemporaryFile(dir=folder) as output, tempfile.TemporaryFile(dir=folder) as errors:
        ran = subprocess.Popen(
            [sys.executable, "-s", "-B", path],
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        status: int | None = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = ran.wait(limit)
        seconds = time.monotonic() - started
        with contextlib.suppress(ProcessLookupError):
            os.killpg(ran.pid, signal.SIGKILL)
        state.end_leftover_processes()
        ran.poll()
        return Ran(status, seconds, _end_of(output, folder), _end_of(errors, folder))


def _end_of(stream: IO[bytes], folder: str) -> str:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - KEPT))
    text = stream.read(KEPT).decode(errors="backslashreplace").replace(folder + os.sep, "")
    cut = f"… {size - KEPT} more bytes before\n" if size > KEPT else ""
    return cut + text + ("" if text.endswith("\n") or not text else "\n")
