"""What warm workers judged is judged again where their word does not hold: they are found changed, end before anybody
looked, or differ where fresh processes do not."""

import pathlib
import signal

from scene import WRONG, Scene, main


class OneWorker(Scene):
    def write_config(self, folder: pathlib.Path, port: int, more: str) -> pathlib.Path:
        config = super().write_config(folder, port, more)
        config.write_text(config.read_text().replace("workers = 2", "workers = 1"))
        return config

    def examinations(self, purpose: str) -> list[int]:
        """Of each program, how many."""
        query = (
            "SELECT count(e.id) FROM programs p LEFT JOIN examinations e ON e.program = p.id AND e.purpose = ? "
            "GROUP BY p.id ORDER BY p.id"
        )
        return [count for (count,) in self.database().execute(query, (purpose,))]

    def events(self, kind: str) -> list[str]:
        return [text for (text,) in self.database().execute("SELECT text FROM events WHERE what = ?", (kind,))]

    def all_finished(self) -> bool:
        left = "SELECT count(*) FROM programs WHERE state != 'finished'"
        unsettled = "SELECT count(*) FROM trust WHERE unsettled > 0"
        return all(self.database().execute(query).fetchone() == (0,) for query in (left, unsettled))


def changed(parityd: str, folder: pathlib.Path) -> None:
    """Twice on warm workers; then only fresh processes are asked, so that it ends."""
    scene = OneWorker(parityd, folder, 1)
    summary = scene.judge("sleep 0.01", "leaves a patched name", "sleep 0.02")
    assert scene.all_finished()
    assert summary["consistent"] == 3, summary
    screens, rounds = scene.examinations("screen"), scene.examinations("confirmation")
    assert screens[1] == 2 and rounds[1] == 1, (screens, rounds)
    assert all(screens[other] >= 2 for other in (0, 2)), screens
    assert any("a patched name" in text for text in scene.events("judged_again")), scene.events("judged_again")


def killed(parityd: str, folder: pathlib.Path) -> None:
    scene = OneWorker(parityd, folder, 1)
    scene.queue("sleep 0.01", "sleep 0.02")
    code, said = scene.killed_at("judged:2", "--provider", "none", "--drain")
    assert code == -signal.SIGKILL, (code, said)
    assert scene.examinations("screen") == [1, 0]
    code, said = scene.killed_at("executing:1", "--provider", "none", "--drain")
    assert code == -signal.SIGKILL, (code, said)
    summary = scene.judge()
    assert scene.all_finished()
    assert scene.examinations("screen") == [2, 1], scene.examinations("screen")
    assert (summary["programs"], summary["valid"]) == (1, 1), f"the first one was begun by another session: {summary}"


def vanished(parityd: str, folder: pathlib.Path) -> None:
    scene = OneWorker(parityd, folder, 1)
    summary = scene.judge(f"warm {WRONG}", f"warm {WRONG}", "sleep 3 at inductor.compile")
    assert summary["consistent"] == 3, summary  # the third was running there, and ran again elsewhere
    assert scene.all_finished()
    assert any("not confirmed in fresh processes" in text for text in scene.events("worker"))


if __name__ == "__main__":
    main({case.__name__: case for case in (changed, killed, vanished)})
