"""A real daemon whose fake workers are started behind a prefix, and how those who test one look at it."""

import json
import pathlib
import subprocess
import sys
from typing import ClassVar

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent/daemon/scenes"))

from scene import ROOT, Scene, wait_for
from service_scene import LONG, end, finished, one

LAUNCH = str(ROOT / "tests/fake_worker/launch")
RUN = ("--provider", "none")


class Watched(Scene):
    """Its daemons end before the service that runs their workers, whatever becomes of the test: launches that have lost
    it go on."""

    daemons: ClassVar[list[subprocess.Popen]] = []

    def daemon(self, *options: str, **how: object) -> subprocess.Popen:
        self.daemons.append(super().daemon(*options, **how))
        return self.daemons[-1]

    @classmethod
    def kill_all(cls) -> None:
        for daemon in cls.daemons:
            daemon.kill()
            daemon.wait()


def behind(launch: list[str], parityd: str, folder: pathlib.Path, spares: int = 1) -> Watched:
    scene = Watched(parityd, folder, 0)
    text = scene.config.read_text().replace(f'launch = ["{LAUNCH}"]', f"launch = {json.dumps(launch)}")
    scene.config.write_text(text)
    set_in_executor(scene, f"spares = {spares}")
    return scene


def set_in_executor(scene: Scene, line: str) -> None:
    scene.config.write_text(scene.config.read_text().replace("[executor]\n", f"[executor]\n{line}\n"))


def counts(scene: Scene) -> dict[str, int]:
    return json.loads(scene.run("status", "--json"))["counters"]


def degraded(scene: Scene) -> bool:
    return json.loads(scene.run("status", "--json"))["condition"] == "degraded"


def drains(scene: Scene, programs: int, daemon: subprocess.Popen | None = None) -> None:
    """All programs come to their end, consistent as they are, and nothing was made of what happened meanwhile."""
    daemon = daemon or scene.daemon(*RUN, "--drain")
    code, text = end(daemon)
    assert code == 0, (code, text)
    with scene.database() as database:
        verdicts = database.execute("SELECT state, verdict, count(*) FROM programs GROUP BY 1, 2").fetchall()
    assert verdicts == [("finished", "consistent", programs)], (verdicts, text)
    assert one(scene, "SELECT count(*) FROM findings") == 0, text
    assert one(scene, "SELECT count(*) FROM harness_failures") == 0, text


def at_long_work(scene: Scene) -> subprocess.Popen:
    """A daemon with one worker that runs a program without end, and others without work."""
    already = finished(scene)
    scene.queue("sleep 0.01", LONG)
    daemon = scene.daemon(*RUN)
    wait_for("a finished program", lambda: finished(scene) > already)
    return daemon
