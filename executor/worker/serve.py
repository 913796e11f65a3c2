"""The worker's protocol loop (docs/protocol.md): a message in, its answer out, until the channel closes."""

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
import device_names
import errors
import inspection
import modes
import parityd_worker
import prime
import state
import torch
from run import Run
from screening import Screen

PROTOCOL = 3
_encode = json.JSONEncoder(allow_nan=False).encode  # a program may replace json.dumps
BEAT_SECONDS = 1.0


class Worker:
    """Answers messages one after another until the channel ends."""

    def __init__(self, channel: parityd_worker.Channel, sandbox: dict[str, Any]) -> None:
        self.channel = channel
        self.sandbox = sandbox
        self.baseline: state.Baseline | None = None
        self.near_code: Any = None
        self._sent = 0

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
        elif kind in ("inspect", "screen") or (kind == "run" and message["fresh"]):
            self.in_child(message)
        elif kind == "run":
            self.run(message)
        elif kind == "environment":
            told = {"text": environment_report(), "features": coverage.all_known() if self.baseline else []}
            self.send({"type": "environment", "id": message["id"], **told})
        else:
            raise ValueError(f"unknown message type {kind!r}")

    def prime(self, message: dict[str, Any]) -> None:
        started = time.perf_counter()
        prime.prime(message["device"], message["fork_parent"])
        self.prepare()
        self.send({"type": "primed", "seconds": time.perf_counter() - started, **state.free_on_device()})

    def prepare(self) -> None:
        if self.baseline is None:
            prime.import_compiler()
            capture.install()
            ablation.install()
            coverage.install()
            state.reset_torch()
            self.baseline = state.Baseline()
            self.near_code = self.baseline.near_code

    def in_child(self, message: dict[str, Any]) -> None:
        """Forks; the child answers on the same channel, then its end is told: nobody shares it with the next child."""
        self.prepare()
        if torch.cuda.is_initialized():  # the daemon ends who fails so, and gives the work to another
            raise RuntimeError("CUDA is initialised in this process: no child of it could use the GPU any more")
        self.channel.stop_beats()
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            self.child(message)
        _, status = os.waitpid(child, 0)
        state.end_leftover_processes()
        self.channel.start_beats(BEAT_SECONDS)
        killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        code = 0 if killer else os.WEXITSTATUS(status)
        os.write(2, f"[parityd: job {message['id']} has ended]\n".encode())  # behind the child's last words
        self.send({"type": "ended", "id": message["id"], "status": code, "signal": killer})

    def child(self, message: dict[str, Any]) -> None:
        try:
            self.channel.after_fork()
            self.channel.start_beats(BEAT_SECONDS)
            own = os.path.dirname(message["file"])  # compiled code is never shared between jobs: it is executable
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(own, "inductor")
            os.environ["TRITON_CACHE_DIR"] = os.path.join(own, "triton")
            if all(mode in modes.EAGER for mode in message.get("modes", ["inductor"])):
                os.environ["CUDA_LAUNCH_BLOCKING"] = "1"  # so that a kernel's failure names the program's line
            try:
                if message["type"] == "inspect":
                    self.send(inspection.inspect(message, self.send))
                elif message["type"] == "screen":
                    self.send(self.screened(message))
                else:
                    self.run(message)
            except Exception as error:  # as in serve()
                text = f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-6)}"
                self.send({"type": "error", "id": message["id"], "message": errors.capped(text, 8 << 10)})
            self.channel.stop_beats()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(0)

    def run(self, message: dict[str, Any]) -> None:
        self.prepare()
        result = Run(message, self.baseline, self.send).result()
        if not message["fresh"]:
            self.baseline.set_aside_survivors()  # before the answer: what ends here is still this program's
        result["tainted"] = result["tainted"] or self.tampered(message["fresh"])
        self.send(result)

    def screened(self, message: dict[str, Any]) -> dict[str, Any]:
        """Composes first: nothing that a program did has a part in it."""
        screen = Screen(message["file"], message["seed"], self.baseline)
        seeds = range(message["composing"], message["composing"] + message["compose"])
        composed = [text for text in (composer.compose(seed, screen) for seed in seeds) if text]
        verdicts = [screen.verdict(source) for source in message["programs"]]
        return {"type": "screened", "id": message["id"], "verdicts": verdicts, "composed": composed}

    def tampered(self, fresh: bool) -> str:
        """Asked last, and not of Python code that the program could have replaced: of C++'s own count and watch."""
        if self.channel.lines_written != self._sent:
            return "the program wrote to the channel"
        changed = [] if fresh else self.near_code.changed(5)
        return "state changed: " + ", ".join(changed)[:400] if changed else ""


def environment_report() -> str:
    """torch.utils.collect_env's text. It asks the GPU's driver, which initialises CUDA: so not in this process, whose
    children may have to use CUDA, nor in a fork of it, which could not where CUDA is initialised here."""
    code = "from torch.utils.collect_env import get_pretty_env_info; print(get_pretty_env_info())"
    command = [sys.executable, "-c", code]
    # From "/", for Python may look for modules where it stands, and programs write to this process's folder.
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True, cwd="/")
    if done.returncode != 0:
        raise RuntimeError(f"torch.utils.collect_env failed: {done.stderr[-2000:]}")
    return done.stdout.strip()


def hello(sandbox: dict[str, Any]) -> dict[str, Any]:
    cuda = torch.cuda.is_available()
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "cuda": cuda,
        "device_names": device_names.device_names(cuda),
        "sandbox": sandbox,
    }
