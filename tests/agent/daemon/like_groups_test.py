"""Suspects that one group of workers saw are confirmed by every group that runs on the same, after a kill, too: those
that it left half-way, too."""

import argparse
import pathlib
import signal
import sys
import tempfile

from audit import count
from scene import ROOT, WRONG, Scene

OPERATORS = ("sin", "cos", "tan", "exp", "log", "tanh", "sqrt", "neg")
GROUP = """
[[executor.group]]
name = "{name}"
python = "{python}"
device = "cpu"
workers = 2
launch = ["{root}/tests/fake_worker/launch"]
"""


def gate_seconds(scene: Scene) -> dict[str, float]:
    rows = scene.database().execute(
        "SELECT worker_group, sum(seconds) FROM worker_seconds WHERE occupation = 'gate' GROUP BY worker_group"
    )
    return dict(rows.fetchall())


def configure_groups(scene: Scene, *names: str) -> None:
    kept = [
        line
        for line in scene.config.read_text().splitlines()
        if not line.startswith(("python =", "device =", "workers =", "launch ="))
    ]
    groups = (GROUP.format(name=name, python=sys.executable, root=ROOT) for name in names)
    scene.config.write_text("\n".join(kept) + "".join(groups))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(arguments.parityd, pathlib.Path(name), replies=0)
        plain = scene.config.read_text()
        configure_groups(scene, "first")
        scene.queue(*(f"operators aten.{operator}.default\n# fake: {WRONG}" for operator in OPERATORS))
        scene.environment["PARITYD_KILL_AT"] = "confirmed:1"
        killed = scene.daemon("--provider", "none", "--drain")
        killed.communicate(timeout=240)
        assert killed.returncode == -signal.SIGKILL, killed.returncode
        del scene.environment["PARITYD_KILL_AT"]
        half_way = count(scene, "SELECT count(*) FROM programs WHERE state = 'gating' AND gate_rounds > 0")
        waiting = count(scene, "SELECT count(*) FROM programs WHERE state = 'gating' AND gate_rounds = 0")
        assert half_way and waiting, "the kill left nothing half-way, or nothing that waits"

        scene.config.write_text(plain)
        configure_groups(scene, "first", "second")
        before = gate_seconds(scene)
        scene.run("run", "--provider", "none", "--drain")
        after = gate_seconds(scene)
        for group in ("first", "second"):
            assert after.get(group, 0) > before.get(group, 0), (group, before, after)
        assert count(scene, "SELECT count(*) FROM findings") == len(OPERATORS)
        print(f"half-way: {half_way}, waiting: {waiting}, gate seconds: {before}, then {after}")


if __name__ == "__main__":
    main()
