"""Fault 37: signals that end the daemon, whatever it is at. The first one drains, the second ends within a second, the
third at once. How long that takes is the daemon's own doing (agent/daemon/loop/signals.h); here each end is told apart
by its exit code, so that a loaded machine changes nothing."""

import pathlib
import signal
import sqlite3

from scene import Scene, main, wait_for
from service_scene import LONG, as_nohup, blocked_loop, drains, end, finished, idle, one, send


def while_compiling(parityd: str, folder: pathlib.Path) -> None:
    """A program whose compile does not end is requeued."""
    scene = Scene(parityd, folder, 0)
    scene.queue("sleep 0.01", LONG)
    daemon = scene.daemon("--provider", "none", "--programs", "2")
    wait_for("the program that runs", lambda: finished(scene) == 1)
    code, said = end(daemon, signal.SIGTERM)
    assert code == 0, (code, said)
    assert "in flight" in said and "they finish or are requeued" in said, said
    assert one(scene, "SELECT count(*) FROM programs WHERE state = 'queued'") == 1
    assert finished(scene) == 1


def while_asking(parityd: str, folder: pathlib.Path) -> None:
    """What a request cost is known to nobody: it stays charged, and the repair it was for is asked for again."""
    rule = {"delay": 600, "reply": "too late", "times": 1000}
    scene = Scene(parityd, folder, 0, rules=[rule])
    daemon = scene.daemon()
    wait_for("a request in flight", lambda: one(scene, "SELECT count(*) FROM replies WHERE state = 'reserved'") > 0)
    asked = one(scene, "SELECT count(*) FROM replies")
    code, said = end(daemon, signal.SIGINT)
    assert code == 0, (code, said)
    drains(scene)
    assert one(scene, "SELECT count(*) FROM replies WHERE state = 'unknown' AND charged_nano_dollars > 0") == asked


def while_committing(parityd: str, folder: pathlib.Path) -> None:
    """Another process holds the database when the signal comes: the commit waits for it, then the daemon ends."""
    scene = Scene(parityd, folder, 30)
    daemon = scene.daemon()
    wait_for("a finished program", lambda: finished(scene) > 0)
    holder = sqlite3.connect(folder / "state/parityd.db", isolation_level=None, timeout=60)
    holder.execute("BEGIN IMMEDIATE")
    send(daemon, signal.SIGTERM)
    holder.execute("ROLLBACK")
    code, said = end(daemon)
    assert code == 0, (code, said)
    drains(scene)


def while_starting(parityd: str, folder: pathlib.Path) -> None:
    """The signal waits before the program has begun: nothing comes earlier. It was blocked, and SIGHUP ignored."""
    scene = Scene(parityd, folder, 0)
    scene.queue("sleep 0.01")
    for number in (signal.SIGTERM, signal.SIGINT):
        daemon = scene.daemon(preexec_fn=as_nohup)
        daemon.send_signal(number)
        code, said = end(daemon)
        assert code == 0, (code, said)
    drains(scene)
    assert finished(scene) == 1


def inherited(parityd: str, folder: pathlib.Path) -> None:
    """A daemon that inherited blocked and ignored signals heeds them all the same."""
    scene = Scene(parityd, folder, 0)
    daemon = idle(scene, preexec_fn=as_nohup)
    send(daemon, signal.SIGHUP)
    wait_for("the reload", lambda: one(scene, "SELECT count(*) FROM events WHERE what = 'reloaded'") == 1)
    code, said = end(daemon, signal.SIGTERM)
    assert code == 0, (code, said)


def once_stuck(parityd: str, folder: pathlib.Path) -> None:
    """The loop never looks: the time is up without it, and the next start takes up what there was."""
    scene = Scene(parityd, folder, 0)
    scene.queue("sleep 0.01")
    code, said = end(blocked_loop(scene), signal.SIGTERM)
    assert code == 0, (code, said)
    drains(scene)


def imported(parityd: str, folder: pathlib.Path) -> None:
    """Killed in the turn in which it took a program that somebody queued: the program was not parsed yet."""
    scene = Scene(parityd, folder, 0)
    scene.queue("sleep 0.01", "sleep 0.02")
    end(blocked_loop(scene, turns=1), signal.SIGKILL)
    drains(scene)
    assert finished(scene) == 2


def twice(parityd: str, folder: pathlib.Path) -> None:
    """A stuck loop ends by the second signal's default action, a running one as it does after one."""
    scene = Scene(parityd, folder, 0)
    scene.queue("sleep 0.01", "sleep 0.02")
    code, said = end(blocked_loop(scene), signal.SIGTERM, signal.SIGINT)
    assert code == -signal.SIGINT, (code, said)
    daemon = scene.daemon("--provider", "none", "--programs", "1")
    wait_for("the start", lambda: one(scene, "SELECT count(*) FROM events WHERE what = 'start'") == 2)
    code, said = end(daemon, signal.SIGINT, signal.SIGTERM)
    assert code in (0, -signal.SIGTERM), (code, said)  # the latter where the tidying took more than a second
    drains(scene)
    assert finished(scene) == 2


def thrice(parityd: str, folder: pathlib.Path) -> None:
    """At once: before the second that the second signal grants is over. Where the machine was slower than that second
    the signal before the last has ended it, and it is tried again."""
    scene = Scene(parityd, folder, 0)
    scene.queue("sleep 0.01")
    codes = []
    while -signal.SIGTERM not in codes and len(codes) < 30:
        daemon = blocked_loop(scene)
        send(daemon, signal.SIGINT)
        send(daemon, signal.SIGINT)
        codes.append(end(daemon, signal.SIGTERM)[0])
    assert codes[-1] == -signal.SIGTERM, codes
    assert set(codes) <= {-signal.SIGTERM, -signal.SIGINT}, codes
    drains(scene)


if __name__ == "__main__":
    main(
        {
            "while_compiling": while_compiling,
            "while_asking": while_asking,
            "while_committing": while_committing,
            "while_starting": while_starting,
            "inherited": inherited,
            "once_stuck": once_stuck,
            "imported": imported,
            "twice": twice,
            "thrice": thrice,
        }
    )
