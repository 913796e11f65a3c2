"""The real daemon with workers that a real Slurm starts, and what Slurm does to them: each ends in a known state, and
nothing is lost. Two nodes, both this machine (slurm.py); fake workers."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from cluster_scene import LAUNCH, LONG, RUN, Watched, at_long_work, behind, counts, degraded, drains, set_in_executor
from scene import Scene, wait_for
from service_scene import children, end, events, finished, idle, one
from slurm import Slurm, missing

SRUN = ["srun", "--nodes=1", "--ntasks=1", "--unbuffered", "--quiet"]
IN_ALLOCATION = ["--overlap"]  # workers at work, their spares and those that confirm share its processors


def start(parityd: str, folder: pathlib.Path, slurm: Slurm, *options: str, spares: int = 1) -> Scene:
    """`options`: of srun."""
    scene = behind([*SRUN, *options, LAUNCH], parityd, folder, spares=spares)
    scene.environment |= slurm.environment
    return scene


def in_allocation(parityd: str, folder: pathlib.Path, slurm: Slurm, **how: int) -> tuple[Scene, int]:
    job = slurm.allocate()
    return start(parityd, folder, slurm, f"--jobid={job}", *IN_ALLOCATION, **how), job


def nodes_in_use(slurm: Slurm) -> set[str]:
    return set(slurm.steps().values())


def nothing_left(slurm: Slurm) -> None:
    wait_for("the last step's end", lambda: not slurm.steps())
    wait_for("the last worker's end", lambda: not slurm.running("parityd-worker"))


def plain(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """Both nodes run programs, and no worker is lost."""
    scene, _ = in_allocation(parityd, folder, slurm)
    scene.queue(*["sleep 0.5"] * 8)
    daemon = scene.daemon(*RUN, "--drain")
    wait_for("workers on both nodes", lambda: nodes_in_use(slurm) == {"n1", "n2"})
    drains(scene, 8, daemon)
    assert counts(scene) == json.loads(scene.run("stats", "--json"))["counters"]
    assert counts(scene)["worker_died"] == 0


def at_work(scene: Scene, slurm: Slurm) -> subprocess.Popen:
    """A daemon whose workers are on both nodes, each in the middle of a program that goes on once it is let go."""
    scene.queue("sleep 0.01", *["wait gate at inductor.compile"] * 3, *["sleep 0.1"] * 4)
    daemon = scene.daemon(*RUN, "--drain")
    wait_for("workers on both nodes", lambda: finished(scene) > 0 and nodes_in_use(slurm) == {"n1", "n2"})
    wait_for("programs on both", lambda: sum(group["busy"] for group in scene.groups()) == 2)
    return daemon


def let_go(scene: Scene) -> None:
    (scene.module / "gate").touch()


def node_down(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """Slurm takes a node away: its worker is replaced on the other one, its program runs again."""
    scene, _ = in_allocation(parityd, folder, slurm, spares=0)  # so that one of the two at work is on each node
    daemon = at_work(scene, slurm)
    slurm.run("scontrol", "update", "nodename=n2", "state=down", "reason=test")
    wait_for("the loss to be told", lambda: counts(scene)["worker_died"] > 0)
    wait_for("no worker on that node", lambda: "n2" not in nodes_in_use(slurm))
    let_go(scene)
    drains(scene, 8, daemon)


def node_lost(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """The same, and nobody has told Slurm yet."""
    scene, _ = in_allocation(parityd, folder, slurm, spares=0)
    daemon = at_work(scene, slurm)
    slurm.lose("n2")
    wait_for("the loss to be told", lambda: counts(scene)["worker_died"] + counts(scene)["worker_silent"] > 0)
    let_go(scene)
    drains(scene, 8, daemon)


def step_cancelled(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """Twice: those that run programs, and those that look again whether the first loss was the program's doing."""
    scene, _ = in_allocation(parityd, folder, slurm)
    scene.queue("sleep 0.01", "sleep 3 at inductor.compile")
    daemon = scene.daemon(*RUN, "--drain")
    wait_for("workers on both nodes", lambda: finished(scene) > 0 and nodes_in_use(slurm) == {"n1", "n2"})
    time.sleep(0.3)  # the other one is at work by then
    cancel_all(slurm)
    wait_for("fresh processes at work", lambda: children_of_workers(slurm) or finished(scene) == 2)
    cancel_all(slurm)
    drains(scene, 2, daemon)
    assert counts(scene)["worker_died"] > 1, counts(scene)


def children_of_workers(slurm: Slurm) -> list[int]:
    """A worker that confirms forks: Pythons whose parents are such a worker, too."""
    workers = slurm.running("fake_worker/main.py")
    return [pid for pid, worker in workers.items() if worker.parent in workers]


def cancel_all(slurm: Slurm) -> None:
    for step in slurm.steps():
        slurm.cancel(step)


def preempted(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """A job for each worker; one of higher priority takes a node from them."""
    scene = start(parityd, folder, slurm, "--partition=low", "--cpus-per-task=1")
    daemon = at_work(scene, slurm)
    slurm.run("salloc", "--no-shell", "--partition=high", "--nodelist=n2", "--exclusive")
    wait_for("the loss to be told", lambda: counts(scene)["worker_died"] > 0)
    let_go(scene)
    drains(scene, 8, daemon)
    nothing_left(slurm)


def goes_on_elsewhere(scene: Scene, slurm: Slurm, lost: int, programs: int) -> None:
    let_go(scene)
    new = slurm.allocate()
    scene.config.write_text(scene.config.read_text().replace(f"--jobid={lost}", f"--jobid={new}"))
    drains(scene, programs)


def says_so_and_keeps_all(scene: Scene, daemon: subprocess.Popen, job: int, programs: int) -> None:
    """It waits and names the reason; asked to end it ends well."""
    wait_for("the daemon to be degraded", lambda: degraded(scene))
    assert daemon.poll() is None, "it waits for workers"
    assert f"job {job}" in events(scene, "no_workers")[0], events(scene, "no_workers")
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)
    assert one(scene, "SELECT count(*) FROM programs") == programs


def cancelled(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    scene, job = in_allocation(parityd, folder, slurm)
    daemon = at_work(scene, slurm)
    slurm.run("scancel", str(job))
    says_so_and_keeps_all(scene, daemon, job, 8)
    goes_on_elsewhere(scene, slurm, job, 8)


def time_limit(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """The same when its time is up. The program at work is not judged by it."""
    scene, job = in_allocation(parityd, folder, slurm)
    scene.queue("sleep 0.01", LONG)
    daemon = idle(scene)
    wait_for("a finished program", lambda: finished(scene) == 1)
    slurm.run("scontrol", "update", f"jobid={job}", "endtime=now")  # Slurm looks twice a minute
    says_so_and_keeps_all(scene, daemon, job, 2)
    at_work = f"SELECT count(*) FROM programs WHERE text LIKE '%{LONG}%' AND state IN ('queued', 'confirming')"
    assert one(scene, at_work) == 1  # the other one may be judged again, too


SCRIPT = """#!/bin/sh
exec "$@" > "{folder}/said" 2>&1
"""


def drained(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """The daemon itself in a job, told by Slurm some time before the limit: it ends in order, and loses no worker."""
    scene = start(parityd, folder, slurm, *IN_ALLOCATION)
    scene.queue(*["sleep 1"] * 200)
    script = folder / "job"
    script.write_text(SCRIPT.format(folder=folder))
    daemon = [parityd, "--state", str(folder / "state"), "--config", str(scene.config), "run", *RUN]
    os.environ.update(scene.environment)
    limits = ["--time=1", "--signal=B:TERM@60", "--no-kill", "--nodes=2", "--exclusive", f"--output={folder}/job.log"]
    slurm.run("sbatch", *limits, str(script), *daemon)
    wait_for("workers on both nodes", lambda: nodes_in_use(slurm) == {"n1", "n2"})
    wait_for("the end", lambda: events(scene, "end"))
    wait_for("the job's end", lambda: not slurm.run("squeue", "--noheader"))
    text = (folder / "said").read_text()
    assert "stopping: " in text, text
    assert events(scene, "end") == ["as asked"] and counts(scene)["worker_died"] == 0, text
    assert one(scene, "SELECT count(*) FROM programs WHERE state NOT IN ('queued', 'finished')") == 0
    assert one(scene, "SELECT count(*) FROM programs") == 200
    nothing_left(slurm)


def batch_script(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """What `parityd cluster slurm` prints, submitted as it is: a group on each node; the job ends with its daemon."""
    scene = Watched(parityd, folder, 0)
    scene.queue(*["sleep 0.5"] * 8)
    options = ["--nodes", "2", "--cores", "2", "--time", "10", "--built", "--python", sys.executable]
    script = folder / "parityd.sbatch"
    script.write_text(scene.run("cluster", "slurm", *options))
    os.environ.update(scene.environment)
    slurm.run("sbatch", f"--output={folder}/job.log", str(script))
    wait_for("workers on both nodes", lambda: nodes_in_use(slurm) == {"n1", "n2"})
    wait_for("the last program", lambda: finished(scene) == 8)
    scene.run("stop")
    wait_for("the job's end", lambda: not slurm.run("squeue", "--noheader"))
    text = (folder / "job.log").read_text()
    assert counts(scene)["worker_died"] == 0, text
    with scene.database() as database:
        groups = database.execute("SELECT DISTINCT worker_group FROM worker_seconds").fetchall()
    assert sorted(groups) == [("node0-cpu",), ("node1-cpu",)], groups
    nothing_left(slurm)


def asked_to_end(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """Workers at work, idle ones and spares: all are gone from the nodes, though nobody cancels anything."""
    scene, _ = in_allocation(parityd, folder, slurm)
    daemon = at_long_work(scene)
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)
    nothing_left(slurm)
    assert one(scene, "SELECT count(*) FROM programs WHERE state = 'queued'") == 1


def hung(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """A worker whose program hangs is ended on its node, too: as many steps stay as the daemon has workers."""
    scene, _ = in_allocation(parityd, folder, slurm)
    set_in_executor(scene, "compile_deadline_seconds = 1")
    daemon = at_long_work(scene)
    wait_for("the hang to be told", lambda: counts(scene)["worker_hung"] > 0)
    wait_for("a step for each worker", lambda: len(slurm.steps()) == len(launches(daemon)))
    assert end(daemon, signal.SIGTERM)[0] == 0
    nothing_left(slurm)


def launches(daemon: subprocess.Popen) -> list[int]:
    """The daemon's own ends of its workers."""
    return [pid for pid in children(daemon.pid) if "srun" in pathlib.Path(f"/proc/{pid}/comm").read_text()]


def killed(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """Workers end with their channel, also where the next daemon starts at once and looks for what was left."""
    scene, _ = in_allocation(parityd, folder, slurm)
    end(at_long_work(scene), signal.SIGKILL)
    end(at_long_work(scene), signal.SIGKILL)
    nothing_left(slurm)


def waiting(parityd: str, folder: pathlib.Path, slurm: Slurm) -> None:
    """A job for each worker, and no room for any: what waits is taken back, also by the daemon after a killed one."""
    slurm.allocate()
    scene = start(parityd, folder, slurm, "--partition=low")
    for number in (signal.SIGKILL, signal.SIGTERM):
        daemon = idle(scene)
        wait_for("jobs that wait", lambda: pending_jobs(slurm))
        end(daemon, number)
    wait_for("an empty queue", lambda: not pending_jobs(slurm))


def pending_jobs(slurm: Slurm) -> list[str]:
    return slurm.run("squeue", "--noheader", "--states=pending", "--format=%i").split()


RUNS = (
    plain,
    node_down,
    node_lost,
    step_cancelled,
    preempted,
    cancelled,
    time_limit,
    drained,
    batch_script,
    asked_to_end,
    hung,
    killed,
    waiting,
)
CASES = {case.__name__: case for case in RUNS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("case", choices=CASES)
    arguments = parser.parse_args()
    if lacking := missing():
        print(f"SKIPPED: no {', '.join(lacking)} here: apt-get install slurm-wlm munge")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        with Slurm(folder / "slurm") as slurm:
            try:
                CASES[arguments.case](arguments.parityd, folder, slurm)
            finally:
                Watched.kill_all()
    print("ok")


if __name__ == "__main__":
    main()
