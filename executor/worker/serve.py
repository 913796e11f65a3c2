"""The worker's protocol loop (docs/protocol.md): reads a message and sends its answer, until the channel closes."""

import json
import os
import platform
import subprocess
import sys
import time
import traceback
from typing import Any

import ablation
import capture
import composer
import coverage
import device_kinds
import device_names
import errors
import graph_forms
import guarded
import inspection
import parityd_worker
import prime
import state
import torch
from mode_table import ROWS
from run import Run
from screening import Screen

PROTOCOL = 5
_encode = json.JSONEncoder(allow_nan=False).encode  # a program may replace json.dumps
BEAT_SECONDS = 1.0


class Worker:
    """Answers messages one after another until the channel ends."""

    def __init__(self, channel: parityd_worker.Channel, sandbox: dict[str, Any], children: str) -> None:
        self.channel = channel
        self.sandbox = sandbox
        self.children = children  # of a fork parent: the room for each child
        self.is_child = False
        self.baseline: state.Baseline | None = None
        self.guard: Any = None
        self._sent = 0
        self._known_forms: set[int] = set()  # as sent by the daemon

    def send(self, message: dict[str, Any]) -> None:
        self._sent += 1
        self.channel.write(_encode(message))

    def serve(self) -> None:
        parityd_worker.adopt_orphans()
        self.channel.start_beats(BEAT_SECONDS)
        self.send(hello(self.sandbox))
        while (line := self.channel.read_line()) is not None:
            message = json.loads(line)
            if message["type"] == "shutdown":
                break
            try:
                self.answer(message)
            except Exception as error:  # the daemon decides what a failed worker means
                text = f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-6)}"
                self.send({"type": "error", "id": message.get("id", 0), "message": errors.capped(text, 8 << 10)})
        self.channel.stop_beats()

    def answer(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "prime":
            self.prime(message)
        elif not self.is_child and (kind in ("inspect", "screen") or (kind == "run" and message["fresh"])):
            raise ValueError(f"a fresh {kind} is for the child of a fork parent")
        elif kind == "inspect":
            self.send(inspection.inspect(message, self.send))
        elif kind == "screen":
            self.send(self.screened(message))
        elif kind == "run":
            self.run(message)
        elif kind == "check":
            self.check(message)
        elif kind == "environment":
            told = {"text": environment_report(), "features": coverage.all_known() if self.baseline else []}
            self.send({"type": "environment", "id": message["id"], **told})
        else:
            raise ValueError(f"unknown message type {kind!r}")

    def prime(self, message: dict[str, Any]) -> None:
        started = time.perf_counter()
        prime.prime(message["device"], message["fork_parent"])
        self.prepare()
        seconds = time.perf_counter() - started
        if message["fork_parent"]:
            self.fork_children(seconds)
        else:
            self.send({"type": "primed", "seconds": seconds, **state.free_on_device()})

    def prepare(self) -> None:
        if self.baseline is None:
            prime.import_compiler()
            graph_forms.install()
            capture.install()  # around it: it records every graph
            ablation.install()
            coverage.install()
            state.reset_torch()
            self.baseline = state.Baseline()

    def fork_children(self, primed_seconds: float) -> None:
        """This process runs no more Python: it continues in C++ (fork_parent.h), and only its children return from
        here."""
        self.channel.stop_beats()
        sys.stdout.flush()
        sys.stderr.flush()
        number = parityd_worker.fork_children(self.channel, primed_seconds, self.children)
        try:
            self.channel.start_beats(BEAT_SECONDS)
            self.be_child(number)
            self.channel.stop_beats()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(0)

    def be_child(self, number: int) -> None:
        self.is_child = True
        message = json.loads(self.channel.read_line() or "{}")
        try:
            if "file" in message:
                own = os.path.dirname(message["file"])  # compiled code is never shared between jobs: it is executable
                os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(own, "inductor")
                os.environ["TRITON_CACHE_DIR"] = os.path.join(own, "triton")
            if not any(ROWS[mode].backend for mode in message.get("modes", ["inductor"])):
                os.environ["CUDA_LAUNCH_BLOCKING"] = "1"  # so that a kernel's failure names the program's line
            self.answer(message)
        except Exception as error:  # as in serve()
            text = f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-6)}"
            self.send({"type": "error", "id": number, "message": errors.capped(text, 8 << 10)})

    def run(self, message: dict[str, Any]) -> None:
        self.prepare()
        if self.guard is None and not message["fresh"]:
            self.guard = guarded.guard(self.baseline.code, self.baseline.native, self.baseline)
            guarded.watch_attributes(self.baseline.code, "worker", self)
        self._known_forms.update(message.get("known_forms", ()))
        result = Run(message, self.baseline, self.send, self._known_forms).result()
        if not message["fresh"]:
            self.baseline.set_aside_survivors()  # before the answer: what ends here still belongs to this program
        result["tainted"] = result["tainted"] or self.tampered(message["fresh"])
        self.send(result)

    def screened(self, message: dict[str, Any]) -> dict[str, Any]:
        """Composes first, so that nothing a program did can influence it."""
        screen = Screen(message["file"], message["seed"], self.baseline)
        seeds = range(message["composing"], message["composing"] + message["compose"])
        composed = [text for text in (composer.compose(seed, screen) for seed in seeds) if text]
        verdicts = [screen.verdict(source) for source in message["programs"]]
        return {"type": "screened", "id": message["id"], "verdicts": verdicts, "composed": composed}

    def check(self, message: dict[str, Any]) -> None:
        """Checks everything: what earlier programs left where the check after each program does not look."""
        changed = self.guard.everywhere(state.MOST_TOLD) if self.guard else []
        self.send({"type": "checked", "id": message["id"], "changed": _told(changed)})

    def tampered(self, fresh: bool) -> str:
        """Asked last, and of C++'s own counters and watches, because a program could have replaced any Python code."""
        if self.channel.lines_written != self._sent:
            return "the program wrote to the channel"
        return _told([] if fresh else self.guard.near(state.MOST_TOLD))


def _told(changed: list[str]) -> str:
    return "state changed: " + ", ".join(changed)[:400] if changed else ""


def environment_report() -> str:
    """The text of torch.utils.collect_env. It queries the GPU's driver, which initialises CUDA. So it runs neither
    in this process, whose children may need CUDA, nor in a fork of it, which could not use CUDA if it is initialised
    here."""
    code = "from torch.utils.collect_env import get_pretty_env_info; print(get_pretty_env_info())"
    command = [sys.executable, "-c", code]
    # It reports the machine's GPUs even if they are hidden from workers for the processors.
    hiding = {kind.row.visible for kind in device_kinds.KINDS.values()}
    environment = {name: value for name, value in os.environ.items() if value or name not in hiding}
    # From "/", because Python may look for modules in its working directory, and programs write to this process's
    # folder.
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True, cwd="/", env=environment
    )
    if done.returncode != 0:
        raise RuntimeError(f"torch.utils.collect_env failed: {done.stderr[-2000:]}")
    return done.stdout.strip()


def hello(sandbox: dict[str, Any]) -> dict[str, Any]:
    available = {name: kind.row for name, kind in device_kinds.KINDS.items() if kind.is_available()}
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "cuda": "cuda" in available,
        "device_names": {name: device_names.model_of(row) for name, row in available.items()},
        "sandbox": sandbox,
    }
