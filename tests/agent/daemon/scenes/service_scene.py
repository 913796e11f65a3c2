"""What tests of the daemon as a service share: what happened, read from its database and from /proc."""

import atexit
import contextlib
import pathlib
import signal
import sqlite3
import subprocess

from scene import PATIENCE, Scene, wait_for

LONG = "sleep 600 at inductor.compile"  # a compile that nobody waits for


def events(scene: Scene, what: str) -> list[str]:
    """Texts of the events of this kind, oldest first; none while there is no database."""
    try:
        with contextlib.closing(scene.database()) as database:
            rows = database.execute("SELECT text FROM events WHERE what = ? ORDER BY id", (what,))
            return [text for (text,) in rows]
    except sqlite3.OperationalError:
        return []


def one(scene: Scene, query: str) -> int:
    """The number that `query` gives; 0 while there is no such table."""
    try:
        with contextlib.closing(scene.database()) as database:
            return database.execute(query).fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def finished(scene: Scene) -> int:
    return one(scene, "SELECT count(*) FROM programs WHERE state = 'finished'")


def end(daemon: subprocess.Popen, *signals: int) -> tuple[int, str]:
    """Sends these signals, one when the last one has been taken, and waits for the end: exit code and output."""
    for number in signals:
        send(daemon, number)
    text, _ = daemon.communicate(timeout=PATIENCE)
    return daemon.returncode, text


def send(daemon: subprocess.Popen, number: int) -> None:
    """Returns once the process has taken it: two that wait at once would be one."""
    daemon.send_signal(number)
    wait_for("the signal to be taken", lambda: not pending(daemon.pid))


def pending(pid: int) -> bool:
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    return lives(pid) and any(int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd", "ShdPnd")))


def stat_of(pid: int) -> list[str]:
    """Fields of /proc/PID/stat after the name; empty where there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []


def lives(pid: int) -> bool:
    return stat_of(pid)[:1] not in ([], ["Z"], ["X"])


def children(pid: int) -> list[int]:
    """Of its main thread: the daemon starts all it starts there."""
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def drains(scene: Scene) -> None:
    """A daemon that asks nobody finishes what is queued, and nothing was lost or counted twice."""
    scene.run("run", "--provider", "none", "--drain")
    assert one(scene, "SELECT count(*) FROM programs WHERE state != 'finished'") == 0
    assert one(scene, "SELECT count(*) FROM programs WHERE verdict IS NULL") == 0
    assert one(scene, "SELECT count(*) FROM replies WHERE state = 'reserved'") == 0
    assert one(scene, "SELECT count(*) - count(DISTINCT identity) FROM programs") == 0


def idle(scene: Scene, *options: str, **how: object) -> subprocess.Popen:
    """A daemon that has no money to ask with, once it has started: it runs what is queued, and waits."""
    text = scene.config.read_text()
    if "dollars_total" not in text:
        scene.config.write_text(text.replace("[modes]", "[budget]\ndollars_total = 1e-9\n\n[modes]"))
    starts = len(events(scene, "start"))
    daemon = scene.daemon(*options, **how)
    atexit.register(daemon.kill)
    wait_for("the start", lambda: len(events(scene, "start")) > starts)
    return daemon


def blocked_loop(scene: Scene, turns: int = 3, **how: object) -> subprocess.Popen:
    """A daemon whose loop is stuck after so many turns."""
    daemon = idle(scene, "--block-after", str(turns), **how)
    wait_for("the loop to be stuck", lambda: in_pause(daemon.pid))
    return daemon


def in_pause(pid: int) -> bool:
    pause = "34"  # its number on x86-64
    try:
        return pathlib.Path(f"/proc/{pid}/syscall").read_text().split()[:1] == [pause]
    except OSError:
        return False


def as_nohup() -> None:
    """In a child before it becomes the daemon: SIGHUP ignored, signals to end blocked."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
