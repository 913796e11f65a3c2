"""Suspects that one group of workers saw are confirmed by every group that runs on the same, after a kill, too, and by
none whose workers do not start or that is there for the newest torch."""

import signal
import sys

from scene import ROOT, WRONG, Scene, main, with_groups
from service_scene import one

OPERATORS = ("sin", "cos", "tan", "exp", "log", "tanh", "sqrt", "neg")
LAUNCH = f"{ROOT}/tests/fake_worker/launch"


def confirmation_seconds(scene: Scene) -> dict[str, float]:
    rows = scene.database().execute(
        "SELECT worker_group, sum(seconds) FROM worker_seconds WHERE occupation = 'confirmation' GROUP BY worker_group"
    )
    return dict(rows.fetchall())


def configure(scene: Scene, plain: str, **launched: str) -> None:
    """Groups by name, each with the program that launches its workers."""
    usual = {"python": sys.executable, "device": "cpu", "workers": 2}
    scene.config.write_text(with_groups(plain, {name: usual | {"launch": [by]} for name, by in launched.items()}))


def kill_at(scene: Scene, passage: str) -> None:
    scene.queue(*(f"operators aten.{operator}.default\n# fake: {WRONG}" for operator in OPERATORS))
    code, output = scene.killed_at(passage, "--provider", "none", "--drain", seconds=240)
    assert code == -signal.SIGKILL, (code, output)


def drain(scene: Scene) -> dict[str, float]:
    """Seconds of confirmation, by group."""
    before = confirmation_seconds(scene)
    scene.run("run", "--provider", "none", "--drain")
    after = confirmation_seconds(scene)
    assert one(scene, "SELECT count(*) FROM findings") == len(OPERATORS)
    return {group: seconds - before.get(group, 0) for group, seconds in after.items()}


def alike(scene: Scene) -> None:
    plain = scene.config.read_text()
    configure(scene, plain, first=LAUNCH)
    kill_at(scene, "reduced:1")
    half_way = one(scene, "SELECT count(*) FROM programs WHERE state = 'confirming' AND confirmation_rounds > 0")
    waiting = one(scene, "SELECT count(*) FROM programs WHERE state = 'confirming' AND confirmation_rounds = 0")
    assert half_way and waiting, "the kill left nothing half-way, or nothing that waits"
    configure(scene, plain, first=LAUNCH, second=LAUNCH)
    seconds = drain(scene)
    assert seconds["first"] > 0 and seconds["second"] > 0, seconds


def others(scene: Scene) -> None:
    plain = scene.config.read_text()
    configure(scene, plain, alive=LAUNCH)
    kill_at(scene, "suspected:4")
    assert one(scene, "SELECT count(*) FROM programs WHERE state = 'confirming' AND confirmation_rounds = 0") > 1
    newest = f'[versions]\nnewest = "{sys.executable}"\n'
    configure(scene, plain + newest, dead="false", alive=LAUNCH)
    seconds = drain(scene)
    assert seconds["alive"] > 0 and not seconds.get("dead"), seconds


if __name__ == "__main__":
    main({"alike": alike, "others": others}, lambda parityd, folder: Scene(parityd, folder, replies=0))
