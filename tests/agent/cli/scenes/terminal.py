"""A program on a pseudo-terminal of a given size, for tests: what it writes, what is typed, how it ends."""

import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "daemon" / "scenes"))

from scene import PATIENCE


class Terminal:
    """`environment` is the program's whole one."""

    def __init__(self, command: list[str], environment: dict[str, str], columns: int = 80, rows: int = 24) -> None:
        self.text = ""
        self.raw = b""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    signal.signal(number, signal.SIG_DFL)
                signal.pthread_sigmask(signal.SIG_SETMASK, set())
                os.execvpe(command[0], command, environment)
            finally:
                os._exit(127)
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int = 24) -> None:
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def read(self, seconds: float) -> bool:
        """What is there; False at the end."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.descriptor, 65536)
        except OSError:  # the other side is closed
            return False
        self.raw += piece
        self.text = self.raw.decode(errors="replace")
        return bool(piece)

    def until(self, what: str, condition: Callable[[str], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition(self.text):
            assert time.monotonic() < end, f"waited in vain for {what}: {self.text[-3000:]!r}"
            assert self.read(0.1) or condition(self.text), f"it ended before {what}: {self.text[-3000:]!r}"

    def end(self) -> int:
        """The exit code, once all is read; negative: the signal."""
        until = time.monotonic() + PATIENCE
        while self.read(0.1) or not self._gone():
            assert time.monotonic() < until, f"it does not end: {self.text[-3000:]!r}"
        return os.waitstatus_to_exitcode(self.status)

    def _gone(self) -> bool:
        pid, self.status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            time.sleep(0.05)
        return pid != 0

    def kill(self) -> None:
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.descriptor)


def environment_in(folder: pathlib.Path, **more: str) -> dict[str, str]:
    """All that a program in these tests has, and nothing of who runs them."""
    plain = {"HOME": str(folder), "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    return plain | more
