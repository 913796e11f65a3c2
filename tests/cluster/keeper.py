"""What the private services of these tests share: a process that starts one, and that kills everything the service and
its users started when its own standard input ends. So it ends with whoever started it, however that one ends."""

import contextlib
import ctypes
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from typing import NamedTuple, Self

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent/daemon/scenes"))  # for those who import it


def found(program: str) -> str | None:
    """Daemons lie in folders that are not in every user's PATH."""
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def free_ports(count: int) -> list[int]:
    """Below those that the kernel gives to others between our look and the service's."""
    ports: list[int] = []
    while len(ports) < count:
        port = random.randrange(20000, 32000)
        with socket.socket() as attempt, contextlib.suppress(OSError):
            attempt.bind(("127.0.0.1", port))
            ports += [port] if port not in ports else []
    return ports


class Seen(NamedTuple):
    parent: int
    command: str


def children(pid: int) -> list[int]:
    """Of all its threads."""
    all_of_them: list[int] = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            all_of_them += map(int, task.read_text().split())
    return all_of_them


def descendants(ancestor: int) -> dict[int, Seen]:
    """Found from above: a machine may have thousands of processes that are none of ours."""
    below, left = {}, [(child, ancestor) for child in children(ancestor)]
    while left:
        pid, parent = left.pop()
        with contextlib.suppress(OSError):
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            below[pid] = Seen(parent, command)
            left += [(child, pid) for child in children(pid)]
    return below


class Keeper:
    """Starts daemons and ends all that comes of them; only in a process of its own (`keep`)."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder, self.environment = folder, dict(os.environ)
        # What a service runs leaves its parents: it becomes ours, and so none can be missed at the end.
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER

    def start(self) -> str:
        """What the starter is told, in one line."""
        raise NotImplementedError

    def hear(self, word: str) -> None:
        """What the starter asks for later."""
        raise NotImplementedError

    def daemon(self, program: str, *words: str) -> subprocess.Popen:
        with (self.folder / "output.log").open("a") as log:
            command = [found(program), *words]
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)

    def kill_all(self) -> None:
        """Until none is left: what is killed may have started another just before."""
        with contextlib.suppress(ChildProcessError):
            while True:
                for pid in descendants(os.getpid()):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
                time.sleep(0.01)


def keep(keeper: Keeper) -> None:
    try:
        print(keeper.start(), flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who ends from now on is not waited for
        for line in sys.stdin:
            keeper.hear(line.strip())
    finally:
        keeper.kill_all()


class Kept:
    """What a test has of it: the keeper, which is the script `kept`, in a process of its own."""

    def __init__(self, kept: str, folder: pathlib.Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.keeper = subprocess.Popen(
            [sys.executable, kept, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.said = self.keeper.stdout.readline().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.keeper.stdin.close()
        self.keeper.wait()

    def logs(self) -> str:
        return "\n".join(f"{file.name}:\n{file.read_text()[-2000:]}" for file in sorted(self.folder.glob("*.log")))

    def running(self, word: str) -> dict[int, Seen]:
        """Processes of the service and those that it runs for others, with this word in their command lines."""
        return {pid: process for pid, process in descendants(self.keeper.pid).items() if word in process.command}
