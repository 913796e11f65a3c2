"""Known issues around a real daemon with fake workers: a table too old holds findings back and says so, an update lets
them go, matches stand in `findings --json`; and what people decide reaches a running daemon."""

import argparse
import json
import pathlib
import sys
import tempfile

from scene import PATIENCE, PROGRAM, WRONG, Scene, wait_for

DEED = f"operators aten.upsample_nearest2d.vec\n# fake: {WRONG}"


class KnownScene(Scene):
    def __init__(self, parityd: str, folder: pathlib.Path) -> None:
        super().__init__(parityd, folder, replies=1)
        self.plain = self.config.read_text()
        (folder / "suspect.py").write_text(PROGRAM.format(deed=DEED, number=7))
        self.run("import", str(folder / "suspect.py"))

    def allow(self, max_age: str) -> None:
        self.config.write_text(self.plain.replace("36500d", max_age))

    def finding(self) -> dict:
        found = json.loads(self.run("findings", "--json"))
        assert len(found) == 1, found
        return found[0]


def held_while_stale(scene: KnownScene) -> None:
    scene.allow("1s")
    said = scene.run("run", "--provider", "none", "--drain")
    first = "\n".join(said.splitlines()[:3])
    assert "held(stale) until `parityd known sync`" in first, said
    finding = scene.finding()
    assert finding["disposition"] == "held(stale)", finding
    assert "known import" in finding["next_step"], finding
    assert json.loads(scene.run("status", "--json"))["known"]["stale"] is True
    assert "held(stale)" in scene.run("status")


def matched(finding: dict) -> None:
    numbers = [match["issue"] for match in finding["known"]]
    assert 198201 in numbers[:3], finding["known"]
    assert all(match["reason"] and match["confidence"] in ("confident", "possible") for match in finding["known"])
    assert "Possible duplicates" in finding["draft"] and "issue 198201" in finding["draft"], finding["draft"]


def let_go_by_a_running_daemon(scene: KnownScene) -> None:
    """And a decision is taken there. Its API is out, which is waited for: a daemon whose replies repeat would end."""
    scene.allow("36500d")
    scene.end()
    daemon = scene.daemon("--for", "1h")  # until it is stopped
    try:
        wait_for("the finding is let go", lambda: scene.finding()["disposition"] == "ready")
        wait_for("a running daemon", lambda: json.loads(scene.run("status", "--json"))["running"])
        table = scene.folder / "more.jsonl"
        table.write_text(
            '{"number": 999001, "title": "made up", "state": "open", "operators": ["upsample_nearest2d"], '
            '"trait": "made_up", "kind": "numerical", "stage": "inductor", "device": "any"}\n'
        )
        assert "the running daemon is taking them" in scene.run("known", "import", str(table))
        scene.run("triage", "1", "wontfix", "--note", "not worth it")
        wait_for("the import", lambda: 999001 in [match["issue"] for match in scene.finding()["known"]])
        wait_for("the decision", lambda: scene.finding()["status"] == "wontfix")
    finally:
        scene.run("stop")
        daemon.communicate(timeout=PATIENCE)


def decided(scene: KnownScene) -> None:
    issue = "https://github.com/pytorch/pytorch/issues/1"
    assert "--checked" in scene.run("triage", "1", "filed", "--issue", issue, expect=2)
    assert scene.finding()["status"] == "wontfix"
    scene.run("triage", "1", "filed", "--issue", issue, "--checked", "Ran it on my own machine @home")
    finding = scene.finding()
    assert finding["status"] == "filed" and finding["issue"] == issue, finding
    assert "Ran it on my own machine" in finding["draft"] and "@home" not in finding["draft"], finding["draft"]
    assert "wontfix by" in scene.run("show", "1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scene = KnownScene(arguments.parityd, pathlib.Path(folder))
        try:
            held_while_stale(scene)
            matched(scene.finding())
            let_go_by_a_running_daemon(scene)
            decided(scene)
        finally:
            scene.end()


if __name__ == "__main__":
    sys.exit(main())
