"""Starts executor/worker/main.py the way the launcher does, without its sandbox, and talks the protocol to it."""

import atexit
import contextlib
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from typing import Any

from built_module import module_under_test

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "executor" / "worker"
sys.path.append(str(SOURCES))
from worker_path import FOLDERS as FOLDERS  # noqa: E402 - where the modules are that tests ask themselves

# Shared by all tests of a build tree: the compiler's precompiled header is built once.
CACHE = pathlib.Path(os.environ.get("PARITYD_TEST_CACHE", tempfile.gettempdir())) / "worker-test-cache"
LONGEST_WAIT = 300


def program(text: str) -> str:
    return "import os\nimport torch\n\n\n" + textwrap.dedent(text).strip() + "\n"


class Worker:
    """A running worker. `steps` and `beats` gather what came between answers."""

    def __init__(
        self,
        prime: bool = True,
        fork_parent: bool = False,
        shared: pathlib.Path = CACHE / "shared",
        own: pathlib.Path = CACHE / "inductor",
        packages: pathlib.Path | None = None,
    ) -> None:
        self._shared, self._own, self._packages = shared, own, packages
        shared.mkdir(parents=True, exist_ok=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        self.scratch = tempfile.TemporaryDirectory(prefix="parityd-worker-")
        to_read, self._to_worker = os.pipe()
        self._from_worker, to_write = os.pipe()
        self.output = pathlib.Path(self.scratch.name) / "output"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-I", str(SOURCES / "main.py")],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(to_read, to_write),
                cwd=self.scratch.name,
                env=self._environment(to_read, to_write),
            )
        os.close(to_read)
        os.close(to_write)
        self._pending = b""
        self._next_id = 0
        self._forks = fork_parent
        self.tainted = ""
        self.steps: list[tuple[str, str]] = []
        self.beats = 0
        self.hello = self.wait("hello")
        if prime:
            self.send({"type": "prime", "device": "cpu", "fork_parent": fork_parent})
            self.wait("primed")

    def _environment(self, to_read: int, to_write: int) -> dict[str, str]:
        cache = str(CACHE)
        return {
            "PATH": os.environ["PATH"],
            "HOME": self.scratch.name,
            "TMPDIR": cache,
            "USER": "parityd",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONHASHSEED": "0",
            "OMP_NUM_THREADS": "1",
            "TORCHINDUCTOR_COMPILE_THREADS": "1",
            "TORCHINDUCTOR_CACHE_DIR": str(self._own),
            "TRITON_CACHE_DIR": cache + "/triton",
            "PARITYD_IN": str(to_read),
            "PARITYD_OUT": str(to_write),
            "PARITYD_MODULE": module_under_test(),
            "PARITYD_CACHE": str(self._shared),
            **({"PYTHONPATH": str(self._packages)} if self._packages else {}),
            "PARITYD_SANDBOX": '{"level": "none", "layers": [], "setup_milliseconds": 0}',
        }

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._to_worker)
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()
            os.close(self._from_worker)
            self.scratch.cleanup()

    def send(self, message: dict[str, Any]) -> None:
        lines = [message]
        if self._forks and message["type"] in ("run", "inspect", "screen", "environment"):
            lines.insert(0, {"id": message["id"], "type": "fork"})
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        os.write(self._to_worker, text.encode())

    def line(self) -> dict[str, Any]:
        deadline = time.monotonic() + LONGEST_WAIT
        while b"\n" not in self._pending:
            ready, _, _ = select.select([self._from_worker], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self._from_worker, 1 << 16) if ready else b""
            if not data:
                raise EOFError(
                    f"the worker said no more; its output:\n{self.output.read_text(errors='replace')[-4000:]}"
                )
            self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        return json.loads(line)

    def wait(self, *kinds: str) -> dict[str, Any]:
        while True:
            message = self.line()
            if message["type"] == "beat":
                self.beats += 1
            elif message["type"] == "step":
                self.steps.append((message["mode"], message["step"]))
            elif message["type"] in kinds:
                return message
            else:
                raise AssertionError(f"expected {kinds}, got {message}")

    def run(self, source: str, *modes: str, wait: tuple[str, ...] = ("result",), **fields: Any) -> dict[str, Any]:
        self._next_id += 1
        self.steps.clear()
        message = {
            "type": "run",
            "id": self._next_id,
            "program": source,
            "file": f"{self.scratch.name}/programs/p{self._next_id}.py",
            "modes": list(modes) or ["eager", "inductor"],
            "choose_compiled": True,
            "device": "cpu",
            "seed": 7,
            "fresh": False,
            "artefacts": "",
            "neutralisers": [],
        }
        self.send({**message, **fields})
        answer = self.wait(*wait)
        assert answer["id"] == self._next_id, answer
        self.tainted = self.tainted or answer.get("tainted", "")
        if self._forks and "ended" not in wait:
            self.wait("ended")
        return answer

    def check(self) -> str:
        """What a look at everything finds."""
        self.send({"type": "check", "id": 0})
        changed = self.wait("checked")["changed"]
        self.tainted = self.tainted or changed
        return changed


_shared: dict[bool, Worker] = {}


@contextlib.contextmanager
def shared_worker(fork_parent: bool = False) -> Iterator[Worker]:
    """One for all tests of this process that ask alike: starting it takes longer than most programs, and it has to
    restore what they change anyhow. After a test that failed, or left it tainted, the next gets another."""
    if fork_parent not in _shared:
        _shared[fork_parent] = Worker(fork_parent=fork_parent)
    worker = _shared[fork_parent]
    worker.steps.clear()
    worker.beats = 0
    try:
        yield worker
    except BaseException:
        with _shared.pop(fork_parent):
            raise
    if worker.tainted:
        with _shared.pop(fork_parent):
            pass


@atexit.register
def _end_shared() -> None:
    for worker in _shared.values():
        with worker:
            pass
