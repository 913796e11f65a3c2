"""Other torches around a real daemon with fake workers: findings wait for the newest torch and become what it says; two
confirmations fix one, and it comes back; a sweep finds where it began; a new torch runs old programs again."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from scene import PROGRAM, ROOT, Scene, with_groups

LAUNCH = ROOT / "tests" / "fake_worker" / "launch"
WRONG = "inductor=2.0 reference=1.0 inductor_fp64=2.0 inductor_precise=2.0 aot_eager=1.0"
SHOWN = f"value eager=1.0 {WRONG}"
FINE = "value eager=1.0"
RAISED = "raise inductor ValueError another story"
STAYS = SHOWN
MENDED = f"{SHOWN}\n# fake: operators aten.sin.default\n# fake: on 9.9 {FINE}"
OTHERWISE = f"{SHOWN}\n# fake: operators aten.cos.default\n# fake: on 9.9 {RAISED}"


class VersionsScene(Scene):
    def __init__(self, parityd: str, folder: pathlib.Path) -> None:
        super().__init__(parityd, folder, replies=1)
        self.plain = self.config.read_text()

    def python(self, torch: str) -> str:
        """An interpreter whose fake worker has this torch."""
        link = self.folder / f"python-torch-{torch}"
        if not link.exists():
            link.symlink_to(sys.executable)
        return str(link)

    def configure(self, main: str, **versions: object) -> None:
        text = self.plain.replace(f'python = "{sys.executable}"', f'python = "{self.python(main)}"')
        lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in versions.items())
        self.config.write_text(f"{text}\n[versions]\n{lines}\n")

    def queue(self, name: str, deed: str, number: int) -> None:
        (self.folder / f"{name}.py").write_text(PROGRAM.format(deed=deed, number=number))
        self.run("import", str(self.folder / f"{name}.py"))

    def drain(self) -> str:
        return self.run("run", "--provider", "none", "--drain")

    def findings(self) -> dict[str, dict]:
        """By what they are: the program's first operator."""
        names = {"aten.add.Tensor": "stays", "aten.sin.default": "mended", "aten.cos.default": "otherwise"}
        found = json.loads(self.run("findings", "--json"))
        return {names.get(finding["operators"][0], ""): finding for finding in found}


def unchanged_without_a_newest_torch(scene: VersionsScene) -> None:
    scene.configure("9.0")
    scene.queue("stays", STAYS, 1)
    scene.queue("mended", MENDED, 2)
    scene.drain()
    found = scene.findings()
    assert {name: finding["disposition"] for name, finding in found.items()} == {"stays": "ready", "mended": "ready"}
    first = found["stays"]["draft"].splitlines()[0]
    assert "no newer version" in first and "9.0" in first, first


def disposed_by_the_newest(scene: VersionsScene) -> None:
    """What was ready before is held until it was tried, as is what is new; the daemon tries it by itself."""
    scene.configure("9.0", newest=scene.python("9.9"))
    scene.queue("otherwise", OTHERWISE, 3)
    said = scene.drain()
    found = scene.findings()
    dispositions = {name: finding["disposition"] for name, finding in found.items()}
    assert dispositions == {"stays": "ready", "mended": "held(fixed)", "otherwise": "held(different)"}, (
        dispositions,
        said,
    )
    assert found["mended"]["status"] == "new"
    assert "a different kind there, behaviour" in found["otherwise"]["versions"]["rechecks"][0]["reason"]
    for finding in found.values():
        (recheck,) = finding["versions"]["rechecks"]
        assert recheck["torch"] == "9.9" and recheck["newest"] and recheck["rounds"] == 3, recheck
    assert "9.9 shows it" in found["stays"]["draft"].splitlines()[0]
    assert "9.9 does not show it" in found["mended"]["draft"].splitlines()[0]
    before = scene.run("show", str(found["mended"]["id"]))
    assert "On other torches" in before and "no longer shown from 9.9 on" in before, before
    scene.drain()  # nothing is asked twice, but of one finding: workers behind a prefix say their torch once they run
    assert sum(len(finding["versions"]["rechecks"]) for finding in scene.findings().values()) == 4


def held_while_untried(scene: VersionsScene) -> None:
    """A torch newer still, whose workers do not start: findings wait, and a draining daemon does not."""
    broken = scene.folder / "python-torch-9.95"
    broken.write_text("#!/bin/sh\nexit 7\n")
    broken.chmod(0o755)
    scene.configure("9.0", newest=str(broken))
    database = scene.folder / "state" / "parityd.db"
    subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sqlite3; d = sqlite3.connect({str(database)!r}); d.execute('DELETE FROM rechecks'); d.commit()",
        ],
        check=True,
    )
    scene.drain()
    stays = scene.findings()["stays"]
    assert stays["disposition"] == "held(untried)", stays
    assert "newest torch" in stays["next_step"], stays
    assert "not been tested on the newest" in stays["draft"].splitlines()[0], stays["draft"]
    scene.configure("9.0", newest=scene.python("9.9"))
    scene.drain()
    assert scene.findings()["stays"]["disposition"] == "ready"


def fixed_and_back(scene: VersionsScene) -> None:
    mended = str(scene.findings()["mended"]["id"])
    told = json.loads(scene.run("recheck", mended, "--json"))
    assert told["result"] == "gone" and told["written"] is True, told
    assert scene.findings()["mended"]["status"] == "fixed"
    scene.run("recheck", mended, "--python", scene.python("9.0"))  # an older torch says nothing about that
    assert scene.findings()["mended"]["status"] == "fixed"
    assert "no finding 99" in scene.run("recheck", "99", expect=1)
    scene.configure("9.0", newest=scene.python("9.10"))
    scene.drain()  # the daemon tries it on a newer one: there it shows
    finding = scene.findings()["mended"]
    assert finding["status"] == "regressed", finding["versions"]


def swept(scene: VersionsScene) -> None:
    scene.configure("9.0", newest=scene.python("9.10"), pythons=[scene.python("9.9"), scene.python("8.1")])
    stays, mended = (str(scene.findings()[name]["id"]) for name in ("stays", "mended"))
    assert "shown since 8.1, the oldest tried" in scene.run("recheck", stays, "--sweep")
    scene.run("recheck", mended, "--sweep")
    versions = scene.findings()["mended"]["versions"]
    assert versions["first_bad"] == "8.1" and versions["first_fixed"] == "", versions


def tried_elsewhere(scene: VersionsScene) -> None:
    """On another model of the same torch, which is the newest: told, and nothing of it is said of torches or makes the
    finding fixed."""
    scene.configure("9.0", newest=scene.python("9.0"))
    local = f"{SHOWN}\n# fake: operators aten.exp.default\n# fake: at other {FINE}"
    scene.queue("local", local, 5)
    scene.drain()
    before = next(found for found in scene.findings().values() if found["operators"] == ["aten.exp.default"])
    text = scene.config.read_text()
    pythons = {"cpu": scene.python("9.0"), "elsewhere": scene.python("9.0-at-other")}
    groups = {name: {"python": str(python), "launch": [str(LAUNCH)]} for name, python in pythons.items()}
    scene.config.write_text(with_groups(text, groups))
    assert "there are: cpu, elsewhere" in scene.run("recheck", "--group", "nowhere", expect=2)
    for _ in range(2):
        told = json.loads(scene.run("recheck", str(before["id"]), "--group", "elsewhere", "--json"))
        assert told["result"] == "gone" and told["elsewhere"] and not told["newest"], told
    scene.drain()  # the daemon knows which torch is the newest, and looks again at what was said of it
    held = {found["disposition"] for found in scene.findings().values() if found["id"] == before["id"]}
    assert held == {"ready"}, held
    told = json.loads(scene.run("recheck", str(before["id"]), "--group", "cpu", "--json"))
    assert told["result"] == "still" and not told["elsewhere"], told
    (after,) = [found for found in scene.findings().values() if found["id"] == before["id"]]
    assert (after["status"], after["disposition"]) == ("new", "ready"), after
    assert after["versions"]["range"] == "", after["versions"]
    first = after["draft"].splitlines()[0]
    assert "other (torch 9.0) does not show it" in first and "no newer version" in first, first
    scene.config.write_text(text)


def new_torch_is_watched(scene: VersionsScene) -> None:
    """What was consistent on 9.0 breaks on 9.5: that is the range, and it ranks first."""
    scene.configure("9.0")
    for number in range(4):
        scene.queue(f"fine{number}", f"{FINE}\n# fake: operators aten.fine{number}.default", 10 + number)
    broken = f"{FINE}\n# fake: operators aten.tan.default\n# fake: on 9.5 {SHOWN}"
    scene.queue("breaks", broken, 20)
    scene.drain()
    scene.configure("9.5", sentinel_sample=50)
    said = scene.drain()
    assert "torch 9.5 is new" in said and "5 programs that were consistent on 9.0" in said, said
    queue = json.loads(scene.run("findings", "--queue", "--json"))
    assert queue[0]["operators"] == ["aten.tan.default"], [entry["operators"] for entry in queue]
    assert "consistent on torch 9.0" in queue[0]["queue"]["standing"], queue[0]["queue"]
    assert queue[0]["versions"]["range"] == "consistent on 9.0, inconsistent on 9.5", queue[0]["versions"]
    assert "consistent on 9.0, inconsistent on 9.5" in queue[0]["draft"].splitlines()[0]
    stays = [row["torch"] for row in scene.findings()["stays"]["versions"]["rechecks"]]
    assert "9.5" in stays, stays
    with scene.database() as database:
        assert database.execute("SELECT count(*) FROM sentinels").fetchone() == (5,)
        left = database.execute("SELECT count(*) FROM programs WHERE state <> 'finished'").fetchone()
    assert left == (0,), left
    assert "is new" not in scene.drain()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scene = VersionsScene(arguments.parityd, pathlib.Path(folder))
        try:
            unchanged_without_a_newest_torch(scene)
            disposed_by_the_newest(scene)
            held_while_untried(scene)
            fixed_and_back(scene)
            swept(scene)
            tried_elsewhere(scene)
            new_torch_is_watched(scene)
        finally:
            scene.server.terminate()


if __name__ == "__main__":
    sys.exit(main())
