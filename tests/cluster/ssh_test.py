"""The real daemon with workers behind a real ssh, and what becomes of them when sshd or the connection goes: each ends
in a known state, nothing is lost, and nothing is left at the far side. That is this machine, too (sshd.py); fake
workers."""

import argparse
import functools
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from cluster_scene import LAUNCH, RUN, Watched, at_long_work, behind, counts, degraded, drains, set_in_executor
from scene import Scene, wait_for
from service_scene import end, events, finished, idle, one
from sshd import CannotServe, Sshd, missing

WORKER = "fake_worker/main.py"


def start(parityd: str, folder: pathlib.Path, sshd: Sshd) -> Watched:
    """What it starts over there is named for a shell: ssh makes one line of all words."""
    return behind([*sshd.ssh(), shlex.quote(LAUNCH)], parityd, folder)


def nothing_left(sshd: Sshd) -> None:
    wait_for("the last worker's end over there", lambda: not sshd.running("parityd-worker"))
    wait_for("the last program's end over there", lambda: not sshd.running(WORKER))


def plain(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    """Programs run over there and not here, no worker is lost, and none outlives the daemon."""
    scene = start(parityd, folder, sshd)
    scene.queue(*["sleep 0.5"] * 8)
    daemon = scene.daemon(*RUN, "--drain")
    wait_for("workers over there", lambda: len(sshd.sessions()) > 1)
    drains(scene, 8, daemon)
    assert counts(scene)["worker_died"] == 0
    nothing_left(sshd)


def blanks(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    """The shell over there takes no path apart."""
    odd = folder / "a b'c\"d$HOME;e"
    odd.mkdir()
    scene = start(parityd, odd, sshd)
    scene.queue("sleep 0.01")
    drains(scene, 1)
    assert counts(scene)["worker_died"] == 0


def cut(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    """Twice: those that run programs lose their connection, and those that look again whether it was the program."""
    scene = start(parityd, folder, sshd)
    scene.queue("sleep 0.01", "sleep 3 at inductor.compile")
    daemon = scene.daemon(*RUN, "--drain")
    wait_for("a finished program", lambda: finished(scene) > 0)
    time.sleep(0.3)  # the other one is at work by then
    lost = sshd.signal_sessions(signal.SIGKILL)
    wait_for("the loss to be told", lambda: counts(scene)["worker_died"] > 0)
    wait_for("fresh processes at work", lambda: children_of_workers(sshd) or finished(scene) == 2)
    lost |= sshd.signal_sessions(signal.SIGKILL)
    drains(scene, 2, daemon)
    assert len(lost) > 2 and counts(scene)["worker_died"] > 1
    nothing_left(sshd)


def children_of_workers(sshd: Sshd) -> list[int]:
    """A worker that confirms forks: Pythons whose parents are such a worker, too."""
    workers = sshd.running(WORKER)
    return [pid for pid, worker in workers.items() if worker.parent in workers]


def silent(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    """Nothing comes through any more and nobody says goodbye. Programs go on over other connections; over there workers
    end when their sshd learns of it."""
    scene = start(parityd, folder, sshd)
    scene.queue("sleep 0.01", *["sleep 2 at inductor.compile"] * 2)
    daemon = scene.daemon(*RUN, "--drain")
    wait_for("a finished program", lambda: finished(scene) > 0)
    lost = sshd.signal_sessions(signal.SIGSTOP)
    try:
        wait_for("the silence to be told", lambda: counts(scene)["worker_silent"] > 0)
        drains(scene, 3, daemon)
    finally:
        sshd.signal_sessions(signal.SIGCONT, lost)
    nothing_left(sshd)


def asked_to_end(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    """Workers at work, idle ones and spares all end, and the program that was at work waits for the next start."""
    scene = start(parityd, folder, sshd)
    code, text = end(at_long_work(scene), signal.SIGTERM)
    assert code == 0, (code, text)
    nothing_left(sshd)
    assert one(scene, "SELECT count(*) FROM programs WHERE state = 'queued'") == 1


def hung(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    """A worker whose program hangs is ended over there, and the daemon goes on."""
    scene = start(parityd, folder, sshd)
    set_in_executor(scene, "compile_deadline_seconds = 1")
    daemon = at_long_work(scene)
    wait_for("the hang to be told", lambda: counts(scene)["worker_hung"] > 0)
    number = re.search(r"worker (\d+) ended", events(scene, "worker_hung")[0]).group(1)
    wait_for("its end over there", lambda: not sshd.running(f"/workers/cpu/w{number} "))
    assert end(daemon, signal.SIGTERM)[0] == 0
    nothing_left(sshd)


def killed(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    """Workers end with their channel, with no daemon to ask them, and also where the next one starts at once."""
    scene = start(parityd, folder, sshd)
    end(at_long_work(scene), signal.SIGKILL)
    end(at_long_work(scene), signal.SIGKILL)
    nothing_left(sshd)


def lost_for_a_while(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    """The far side goes and nobody answers. The daemon says so in ssh's own words and judges nothing; it tries once a
    minute, and goes on by itself."""
    scene = start(parityd, folder, sshd)
    scene.queue("sleep 0.01", *["sleep 2 at inductor.compile"] * 3)
    daemon = idle(scene, *RUN)
    wait_for("a finished program", lambda: finished(scene) > 0)
    sshd.down()
    wait_for("the daemon to be degraded", lambda: degraded(scene))
    said = events(scene, "no_workers")[-1]  # the last connection was refused or, begun before, cut off
    assert "Connection refused" in said or "closed by remote host" in said, said
    assert daemon.poll() is None, "it waits for workers"
    kept = "SELECT count(*) FROM programs WHERE state IN ('queued', 'confirming') AND verdict IS NULL"
    assert finished(scene) + one(scene, kept) == 4 and one(scene, kept) > 0
    sshd.up()
    wait_for("the programs to be judged", lambda: finished(scene) == 4)
    wait_for("the daemon to be well", lambda: not degraded(scene))
    assert end(daemon, signal.SIGTERM)[0] == 0
    drains(scene, 4)
    nothing_left(sshd)


def never_there(scene: Scene, words: str) -> None:
    """A daemon that never had a worker ends with ssh's own words, and has judged nothing."""
    scene.queue("sleep 0.01", "sleep 0.01")
    code, text = end(scene.daemon(*RUN))
    assert code == 3, (code, text)
    assert words in text and words in events(scene, "no_workers")[-1], (text, events(scene, "no_workers"))
    assert one(scene, "SELECT count(*) FROM programs WHERE verdict IS NOT NULL") == 0


def refused(scene: Scene, sshd: Sshd, file: str, words: str) -> None:
    """Without `file`'s text; with it a later start does what was queued."""
    text = (sshd.folder / file).read_text()
    (sshd.folder / file).write_text("")
    never_there(scene, words)
    (sshd.folder / file).write_text(text)
    drains(scene, 2)


def down(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    scene = start(parityd, folder, sshd)
    sshd.down()
    never_there(scene, "Connection refused")
    sshd.up()
    drains(scene, 2)


def few_at_once(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    """sshd turns most of those away who come at once, as it does by itself with more than ten: all get in in the end,
    and nobody is told that there are no workers."""
    sshd.down()
    config = sshd.folder / "sshd_config"
    config.write_text(re.sub("MaxStartups .*", "MaxStartups 2", config.read_text()))
    sshd.up()
    scene = start(parityd, folder, sshd)
    scene.config.write_text(scene.config.read_text().replace("workers = 2", "workers = 8"))
    scene.queue(*["sleep 0.5"] * 40)
    daemon = scene.daemon(*RUN, "--drain")
    wait_for("most workers over there", lambda: len(sshd.sessions()) > 5 or daemon.poll() is not None)
    drains(scene, 40, daemon)
    assert events(scene, "no_workers") == []


def key_refused(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    refused(start(parityd, folder, sshd), sshd, "authorized_keys", "Permission denied (publickey)")


def host_unknown(parityd: str, folder: pathlib.Path, sshd: Sshd) -> None:
    refused(start(parityd, folder, sshd), sshd, "known_hosts", "Host key verification failed")


def real(parityd: str, folder: pathlib.Path, sshd: Sshd, python: str) -> None:
    """No fake: the launcher's own worker compiles a program over there."""
    subprocess.run([parityd, "worker", "build", "--python", python], check=True)
    scene = behind(sshd.ssh(), parityd, folder, spares=0)
    scene.environment = dict(os.environ)  # for the cache that the worker was built in
    text = scene.config.read_text().replace(f'python = "{sys.executable}"', f'python = "{python}"')
    scene.config.write_text(text.replace("workers = 2", "workers = 1"))
    scene.queue("sleep 0.01")  # which is a comment to it
    daemon = scene.daemon(*RUN, "--drain")
    wait_for("a worker over there", lambda: sshd.running("executor/worker/main.py"))
    drains(scene, 1, daemon)
    nothing_left(sshd)


RUNS = (
    plain,
    blanks,
    cut,
    silent,
    asked_to_end,
    hung,
    killed,
    lost_for_a_while,
    down,
    few_at_once,
    key_refused,
    host_unknown,
)
CASES = {case.__name__: case for case in (*RUNS, real)}


def run(case: Callable[[str, pathlib.Path, Sshd], None], parityd: str) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        with Sshd(folder / "sshd") as sshd:
            try:
                case(parityd, folder, sshd)
            finally:
                Watched.kill_all()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--python", help="one with torch, for `real`")
    parser.add_argument("case", choices=CASES)
    arguments = parser.parse_args()
    case = CASES[arguments.case]
    if lacking := missing():
        print(f"SKIPPED: no {', '.join(lacking)} here: apt-get install openssh-server openssh-client")
        return
    try:
        run(functools.partial(real, python=arguments.python) if case is real else case, arguments.parityd)
    except CannotServe as reason:
        print(f"SKIPPED: no sshd can be used here: {reason}")
        return
    print("ok")


if __name__ == "__main__":
    main()
