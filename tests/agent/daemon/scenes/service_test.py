"""The daemon beside other things of its system: a second daemon, what a killed one left, a supervisor that watches,
closed descriptors, too few files, memory that ends (faults 11, 20, 22, 39, 48)."""

import atexit
import ctypes
import os
import pathlib
import resource
import signal
import socket
import subprocess
import time

from scene import ROOT, WRONG, Scene, main, wait_for
from service_scene import (
    blocked_loop,
    children,
    drains,
    end,
    events,
    finished,
    idle,
    in_pause,
    lives,
    one,
    send,
    stat_of,
)

LAUNCH = """#!/bin/sh
sleep 3600 >&2 &
exec "{launch}" "$@"
"""


def second_daemon(parityd: str, folder: pathlib.Path) -> None:
    """It ends with 3 and names the holder; the first one goes on."""
    scene = Scene(parityd, folder, 0)
    first = idle(scene)
    said = scene.run("run", "--provider", "none", "--drain", expect=3)
    assert f"pid {first.pid} on {socket.gethostname()}, since 2" in said, said
    assert "parityd stop" in said, said
    assert len(events(scene, "start")) == 1
    assert f"pid {first.pid}" in scene.run("status")
    code, text = end(first, signal.SIGTERM)
    assert code == 0, (code, text)


def reused_pid(parityd: str, folder: pathlib.Path) -> None:
    """The lock of a killed daemon names a process that is somebody else's by now: it is taken over all the same."""
    scene = Scene(parityd, folder, 0)
    scene.queue("sleep 0.01")
    daemon = idle(scene)
    wait_for("a finished program", lambda: finished(scene) == 1)
    end(daemon, signal.SIGKILL)
    lock = folder / "state/daemon.lock"
    lock.write_text(lock.read_text().replace(str(daemon.pid), str(os.getpid())))
    scene.queue("sleep 0.02")  # a command between hides nothing from the next daemon
    drains(scene)
    assert finished(scene) == 2
    assert f"pid {os.getpid()}" in events(scene, "lock_taken_over")[0]
    drains(scene)
    assert len(events(scene, "lock_taken_over")) == 1, events(scene, "lock_taken_over")


def group_of(pid: int) -> int:
    return int(stat_of(pid)[2])


def left_behind(parityd: str, folder: pathlib.Path) -> None:
    """Of a killed daemon two kinds of processes are left: a worker that is stopped, so that it does not see its channel
    close, and what a launch prefix started beside a worker that was killed. A process of the same name is spared."""
    scene = Scene(parityd, folder, 0)
    launch, real = folder / "launch", ROOT / "tests/fake_worker/launch"
    launch.write_text(LAUNCH.format(launch=real))
    launch.chmod(0o755)
    scene.config.write_text(scene.config.read_text().replace(str(real), str(launch)))
    scene.queue("sleep 0.01")
    innocent = subprocess.Popen(["sleep", "3600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    atexit.register(innocent.kill)
    daemon = idle(scene)
    wait_for("a finished program", lambda: finished(scene) == 1)
    records = {int(file.name) for file in (folder / "state/processes").iterdir()}
    workers = [pid for pid in children(daemon.pid) if pid in records]
    assert len(workers) >= 2, (workers, records)
    sleeps = [pid for worker in workers for pid in children(worker) if group_of(pid) == worker and "sleep" in name(pid)]
    assert len(sleeps) >= 2, sleeps
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    wait_for("the stop", lambda: all(stat_of(worker)[0] == "T" for worker in workers))
    end(daemon, signal.SIGKILL)
    os.kill(workers[1], signal.SIGKILL)
    wait_for("the other worker's end", lambda: not lives(workers[1]))
    assert lives(workers[0])
    assert all(map(lives, sleeps)), sleeps
    drains(scene)
    assert not any(map(lives, workers + sleeps)), [pid for pid in workers + sleeps if lives(pid)]
    text = events(scene, "orphans_killed")[0]
    assert str(workers[0]) in text, text
    assert lives(innocent.pid)
    innocent.kill()
    innocent.wait()
    assert not (folder / "state/processes").exists() or not list((folder / "state/processes").iterdir())


def name(pid: int) -> str:
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def score(pid: int) -> int:
    return int(pathlib.Path(f"/proc/{pid}/oom_score_adj").read_text())


def memory_ends(parityd: str, folder: pathlib.Path) -> None:
    """All that the daemon starts goes before it; and when it goes all the same, nothing is lost."""
    scene = Scene(parityd, folder, 0)
    scene.queue("sleep 0.01", WRONG, "sleep 600 at inductor.compile")
    daemon = scene.daemon("--provider", "none", "--programs", "3")
    wait_for("a finding", lambda: one(scene, "SELECT count(*) FROM findings") == 1)
    started = children(daemon.pid)
    assert len(started) >= 3, started
    assert {score(pid) for pid in started} == {1000}, [(pid, score(pid)) for pid in started]
    assert score(daemon.pid) < 1000
    end(daemon, signal.SIGKILL)  # what the kernel does then
    wait_for("the workers' end", lambda: not any(map(lives, started)))
    assert one(scene, "SELECT count(*) FROM programs WHERE state != 'finished'") == 1
    with_short_compile(scene)
    drains(scene)
    assert one(scene, "SELECT count(*) FROM findings WHERE kind != 'hang'") == 1
    assert finished(scene) == 3


def own_hang(parityd: str, folder: pathlib.Path) -> None:
    """A worker that was killed for what hung in it is not looked at any more: the drain does not wait for that."""
    scene = Scene(parityd, folder, 0)
    text = scene.config.read_text().replace("[executor]", "[executor]\nprogram_deadline_seconds = 2")
    scene.config.write_text(text)
    scene.queue("sleep 0.01", "sleep 600 at eager.forward")
    drains(scene)
    assert finished(scene) == 2
    assert one(scene, "SELECT count(*) FROM v_programs WHERE rule = 'outcome.own_hang'") == 1
    assert one(scene, "SELECT count(*) FROM trust WHERE unsettled > 0") == 0


def with_short_compile(scene: Scene) -> None:
    """A compile that hangs is killed by its deadline: the program gets its verdict."""
    text = scene.config.read_text().replace("[executor]", "[executor]\ncompile_deadline_seconds = 2")
    scene.config.write_text(text)


class Supervisor:
    """What systemd is to a service: a datagram socket, by a path or an abstract name."""

    def __init__(self, address: str, watchdog: float) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address.replace("@", "\0", 1))
        self.said: list[str] = []
        self.environment = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": str(int(watchdog * 1e6))}

    def listen(self, seconds: float) -> list[str]:
        """What is said until nothing is for so long."""
        heard = []
        self.socket.settimeout(seconds)
        try:
            while True:
                heard += self.socket.recv(65536).decode().splitlines()
                if len(heard) > 200:
                    return heard
        except TimeoutError:
            return heard
        finally:
            self.said += heard

    def has_heard(self, line: str, times: int = 1) -> bool:
        self.listen(0.05)
        return sum(each.startswith(line) for each in self.said) >= times


def supervised(parityd: str, folder: pathlib.Path) -> None:
    """READY after the start, pings while it runs, a reload between RELOADING and READY, STOPPING with more time; no
    child inherits the supervisor's address."""
    for number, address in enumerate((str(folder / "notify"), f"@parityd-test-{os.getpid()}")):
        (folder / str(number)).mkdir()
        told_all(Scene(parityd, folder / str(number), 0), address)


def told_all(scene: Scene, address: str) -> None:
    supervisor = Supervisor(address, watchdog=3)
    scene.environment |= supervisor.environment
    daemon = idle(scene)
    wait_for("three pings", lambda: supervisor.has_heard("WATCHDOG=1", 3))
    assert supervisor.said.count("READY=1") == 1, supervisor.said
    assert supervisor.said.index("READY=1") < supervisor.said.index("WATCHDOG=1"), supervisor.said
    wait_for("a worker", lambda: children(daemon.pid))
    for child in children(daemon.pid):
        assert b"NOTIFY_SOCKET" not in pathlib.Path(f"/proc/{child}/environ").read_bytes()
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    send(daemon, signal.SIGHUP)
    wait_for("the reload's end", lambda: supervisor.has_heard("READY=1", 2))
    stamp = next(line for line in supervisor.said if line.startswith("MONOTONIC_USEC="))
    assert before <= int(stamp.split("=")[1]) / 1e6 <= time.clock_gettime(time.CLOCK_MONOTONIC), stamp
    assert supervisor.said.index("RELOADING=1") < supervisor.said.index(stamp), supervisor.said
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)
    assert supervisor.has_heard("STOPPING=1")
    assert supervisor.has_heard("STATUS="), supervisor.said


def stuck(parityd: str, folder: pathlib.Path) -> None:
    """A loop that does not come round pings no more; its supervisor kills it, and the next start says so."""
    scene = Scene(parityd, folder, 0)
    supervisor = Supervisor(str(folder / "notify"), watchdog=0.3)
    scene.environment |= supervisor.environment
    daemon = blocked_loop(scene)
    supervisor.listen(0.2)
    assert supervisor.has_heard("WATCHDOG=1"), supervisor.said  # the turns before
    assert supervisor.listen(6) == []  # twenty times its patience
    assert in_pause(daemon.pid)
    end(daemon, signal.SIGABRT)
    drains(scene)
    assert f"pid {daemon.pid}" in events(scene, "lock_taken_over")[0], events(scene, "lock_taken_over")


def close_all() -> None:
    for number in range(3):
        os.close(number)


def closed(parityd: str, folder: pathlib.Path) -> None:
    """No descriptor of the daemon's own becomes standard output: the database is whole."""
    scene = Scene(parityd, folder, 10)
    daemon = scene.daemon("--programs", "5", preexec_fn=close_all, stdout=None, stderr=None)
    daemon.wait()
    assert daemon.returncode == 0, daemon.returncode
    assert (folder / "state/parityd.db").read_bytes().startswith(b"SQLite format 3\0")
    drains(scene)
    assert one(scene, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'") == 0
    assert finished(scene) >= 5


def reader_gone(parityd: str, folder: pathlib.Path) -> None:
    """Whoever read what it says has gone: it goes on, and ends as asked."""
    scene = Scene(parityd, folder, 20)
    daemon = scene.daemon("--programs", "12")
    daemon.stdout.readline()
    daemon.stdout.close()
    daemon.wait()
    assert daemon.returncode == 0, daemon.returncode
    drains(scene)
    assert one(scene, "SELECT count(*) FROM programs WHERE round = 0") >= 12


def few_files(parityd: str, folder: pathlib.Path) -> None:
    """Not all workers can start: those that can do all the work, it is said why, and no row is lost."""
    scene = Scene(parityd, folder, 20)
    scene.config.write_text(scene.config.read_text().replace("workers = 2", "workers = 12"))
    daemon = scene.daemon("--programs", "12", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (33, 33)))
    code, text = end(daemon)
    assert code == 0, (code, text)
    said = events(scene, "open_files")
    assert "only 33 files may be open" in said[0], said
    lacking = events(scene, "descriptors_short")
    assert any("of 12 workers run" in each for each in lacking), lacking
    assert one(scene, "SELECT count(*) FROM programs WHERE state != 'finished'") == 0
    assert one(scene, "SELECT count(*) FROM programs WHERE round = 0") == 12
    assert one(scene, "SELECT count(*) FROM replies WHERE state = 'reserved'") == 0
    assert one(scene, "SELECT count(*) FROM harness_failures") == 0
    assert one(scene, "SELECT count(*) FROM findings") > 0


def many_files(parityd: str, folder: pathlib.Path) -> None:
    """The soft limit is no obstacle: it is raised to the hard one."""
    scene = Scene(parityd, folder, 0)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    daemon = idle(scene, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, hard)))
    soft = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)[0]
    assert soft == min(hard, 65536), (soft, hard)
    assert events(scene, "open_files") == []
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(36, 1)
    main(
        {
            "second_daemon": second_daemon,
            "reused_pid": reused_pid,
            "left_behind": left_behind,
            "memory_ends": memory_ends,
            "supervised": supervised,
            "stuck": stuck,
            "closed": closed,
            "reader_gone": reader_gone,
            "few_files": few_files,
            "many_files": many_files,
            "own_hang": own_hang,
        }
    )
