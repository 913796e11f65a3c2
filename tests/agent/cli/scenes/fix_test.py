"""`parityd fix`, by hand and by the daemon, on an installation whose workers are fake and with the stand-in API: what
is asked, what is kept, what it costs, and what a kill leaves."""

import contextlib
import json
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "daemon" / "scenes"))

from scene import PATIENCE, WRONG, main, wait_for
from service_scene import children, end, events, lives, one
from verify_test import CHANGED, FINE, VerifyScene, told, write

SLOW = {"delay": 600, "reply": "too late"}
DOWN = {"status": 500, "body": {"message": "down"}, "times": 99}
NONE = {"reply": "NO PATCH: the mistake is in C++"}
ASKED = "SELECT count(*) FROM fixes WHERE result = 'asked'"


def change(search: str) -> dict:
    """A reply whose change is applied where the installed file has the line."""
    return {
        "reply": f"""It adds where it must not.

torch._inductor.lowering
<<<<<<< SEARCH
{search}
=======
    return x
>>>>>>> REPLACE

```python
# fake: overlaid regression passes
# fake: regression fails: exit status 1
assert True
```
"""
    }


GOOD, MISPLACED = change("    return x + 1"), change("    return x + 2")


class FixScene(VerifyScene):
    """`rules`: what the API answers, in this order; `settings`: of the table [fix]."""

    def __init__(self, parityd: str, folder: pathlib.Path, rules: list, settings: str = "") -> None:
        super().__init__(parityd, folder, rules=rules)
        write(folder / "site-packages" / CHANGED, "def add(x):\n    return x + 1\n")
        self.config.write_text(f'{self.config.read_text()}\n[fix]\nprovider = "standin"\n{settings}\n')

    def fix(self, *options: str, expect: int) -> str:
        return self.run("fix", "1", *options, expect=expect)

    def begin(self) -> subprocess.Popen:
        command = [self.parityd, "--state", str(self.folder / "state"), "--config", str(self.config), "fix", "1"]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=self.environment)

    def tries(self) -> list[tuple]:
        with contextlib.closing(self.database()) as database:
            return database.execute("SELECT number, result, nano_dollars FROM fixes ORDER BY at").fetchall()

    def asked(self) -> list[str]:
        """What the API was asked, by the last message of each request."""
        lines = self.journal.read_text().rpartition("\n")[0].splitlines()
        return [entry["prompt"] for entry in map(json.loads, lines) if entry["event"] == "request"]


def results(scene: FixScene) -> list[str]:
    return [result for _, result, _ in scene.tries()]


def commands_of(daemon: subprocess.Popen) -> list[int]:
    lines = {pid: pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children(daemon.pid)}
    return [pid for pid, line in lines.items() if b"--for-daemon" in line]


def second(parityd: str, folder: pathlib.Path) -> None:
    """The first change does not apply, which the second request says; the second one passes every check."""
    scene = FixScene(parityd, folder, [MISPLACED, GOOD])
    scene.judge(f"{WRONG}\n# fake: overlaid {FINE}", *(f"{FINE}\n# {number}" for number in range(10)))
    report = told(scene.fix("--json", expect=0))
    assert report["result"] == "accepted" and report["number"] == 2 and report["why"] == "", report
    assert "+    return x" in report["diff"] and report["functions"] == [f"{CHANGED}:add"], report
    assert [check["result"] for check in report["checks"]] == ["accepted"] * len(report["checks"]), report
    assert results(scene) == ["unusable", "accepted"], scene.tries()
    assert all(0 < cost < 5_000_000 for _, _, cost in scene.tries()), scene.tries()  # charged, no longer reserved
    first, again = scene.asked()
    assert "add" in first and "SEARCH is found 0 times" in again, (first, again)
    assert scene.run("fix", "7", expect=1)


def reads(parityd: str, folder: pathlib.Path) -> None:
    """The model first asks to see source, and gets it: by request, or by hand. That is no try, and is paid for."""
    asks = "SHOW add\nSHOW torch/_inductor/lowering.py:2-2\nFIND x + 1\nSHOW torch/../../../etc/passwd.py:1-9\n"
    scene = FixScene(parityd, folder, [{"reply": asks}, {"reply": "SHOW add"}, GOOD])
    scene.judge(f"{WRONG}\n# fake: overlaid {FINE}", *(f"{FINE}\n# {number}" for number in range(10)))
    scene.fix(expect=0)
    assert results(scene) == ["accepted"], scene.tries()
    first, shown, again = scene.asked()
    assert f"### {CHANGED}:add, lines 1 to 2" in shown and f"{CHANGED}:2 in add:     return x + 1" in shown, shown
    assert shown.count("There is none in torch's Python files.") == 1, shown
    assert "def add(x):" in again and "FIND" not in again, again
    assert one(scene, "SELECT prompt_tokens FROM fixes") > 3 * len(first) // 4  # of all three requests
    assert 0 < one(scene, "SELECT nano_dollars FROM fixes") < 10_000_000  # charged, no longer reserved
    reply = folder / "asks.md"
    reply.write_text(asks)
    assert shown.strip() in scene.fix("--reply", str(reply), "--keep", "some model", expect=3)
    assert len(scene.tries()) == 1


def stays(parityd: str, folder: pathlib.Path) -> None:
    """Two changes with which the finding shows; answers got elsewhere are judged alike, and kept on request."""
    scene = FixScene(parityd, folder, [GOOD, GOOD])
    scene.judge(WRONG)
    assert "stays" in scene.fix(expect=1)
    assert results(scene) == ["stays", "stays"] and len(scene.asked()) == 2
    reply = folder / "answer.md"
    reply.write_text(GOOD["reply"])
    assert "Your change failed this check:\n\nvanishes: " in scene.fix("--reply", str(reply), expect=1)
    assert len(scene.tries()) == 2
    scene.fix("--reply", str(reply), "--keep", "some model", expect=1)
    assert scene.tries()[2] == (3, "stays", 0)
    assert one(scene, "SELECT count(*) FROM fixes WHERE model = 'some model'") == 1
    reply.write_text("I have no idea.")
    scene.fix("--reply", str(reply), expect=1)
    scene.fix("--keep", "some model", expect=2)
    scene.fix("--prompt", "--reply", str(reply), expect=2)
    assert "builtin and bred write no changes" in scene.fix("--provider", "builtin", expect=3)
    assert len(scene.asked()) == 2 and len(scene.tries()) == 3


def failing(parityd: str, folder: pathlib.Path) -> None:
    """A server that fails: no answer, what may be billed stays charged, and there is no second try."""
    scene = FixScene(parityd, folder, [DOWN])
    scene.judge(WRONG)
    assert "no answer" in scene.fix(expect=3)
    assert results(scene) == ["no_answer"]


def spent(parityd: str, folder: pathlib.Path) -> None:
    """Each cap is named; nothing is asked, nothing kept."""
    scene = FixScene(parityd, folder, [GOOD], "dollars_per_day = 0.001")
    scene.judge(WRONG)
    assert "fix: dollars_per_day = 0.001, $0.0000 of it is spent" in scene.fix(expect=3)
    text = scene.config.read_text().replace("dollars_per_day = 0.001", "dollars_per_day = 0")
    scene.config.write_text(text + "\n[budget]\ndollars_total = 0.001\n")
    assert "budget: dollars_total = 0.001, $0.0000 of it is spent" in scene.fix(expect=3)
    assert scene.tries() == [] and scene.asked() == []


def killed(parityd: str, folder: pathlib.Path) -> None:
    """A kill and a signal while the model is asked: the tries stay, with what they may have cost; the next goes on."""
    scene = FixScene(parityd, folder, [SLOW, SLOW, NONE])
    scene.judge(WRONG)
    fix = scene.begin()
    wait_for("the first request", lambda: len(scene.asked()) == 1)
    fix.kill()
    fix.communicate()
    assert results(scene) == ["asked"]
    fix = scene.begin()
    wait_for("the second request", lambda: len(scene.asked()) == 2)
    fix.terminate()
    _, said = fix.communicate(timeout=PATIENCE)
    assert fix.returncode == 3 and "the request stays charged" in said, (fix.returncode, said)
    scene.fix(expect=1)
    assert [each[:2] for each in scene.tries()] == [(1, "asked"), (2, "asked"), (3, "no_patch")], scene.tries()
    assert all(cost > 10_000_000 for _, _, cost in scene.tries()[:2]), scene.tries()


def resumed(parityd: str, folder: pathlib.Path) -> None:
    """A kill while an answer is judged: the next command judges it, and does not pay for it again."""
    scene = FixScene(parityd, folder, [GOOD, NONE])
    scene.judge(f"{WRONG}\n# fake: overlaid wait go")
    fix = scene.begin()
    answered = "SELECT count(*) FROM fixes WHERE result = 'asked' AND reply IS NOT NULL"
    wait_for("an answer", lambda: one(scene, answered) == 1)
    fix.kill()
    fix.communicate()
    (before,) = scene.tries()
    write(folder / "cache" / "parityd" / "workers" / "fake" / "go", "")
    scene.fix(expect=1)
    assert scene.tries()[0] == (1, "stays", before[2]), (before, scene.tries())
    assert results(scene) == ["stays", "no_patch"] and len(scene.asked()) == 2, scene.tries()


def automatic(parityd: str, folder: pathlib.Path) -> None:
    """The daemon asks for what is ready, once; what became of it is in its log."""
    scene = FixScene(parityd, folder, [MISPLACED, GOOD], "automatic = true")
    scene.judge(WRONG)
    assert results(scene) == ["unusable", "stays"], scene.tries()
    texts = [text.partition(": ")[2] for text in events(scene, "fix")]
    assert [text.partition(":")[0] for text in texts[1::2]] == ["unusable", "stays"], texts
    assert all(text.endswith(" is asked") for text in texts[::2]), texts
    scene.judge()
    assert len(scene.asked()) == 2 and events(scene, "fix_failed") == []
    assert json.loads(scene.run("status", "--json"))["fixing"] is None


def stopped(parityd: str, folder: pathlib.Path) -> None:
    """A stop and a kill take the command along; its finding is not asked about again."""
    scene = FixScene(parityd, folder, [SLOW, SLOW], "automatic = true")
    scene.queue(WRONG)
    daemon = scene.daemon("--provider", "none", "--drain")
    wait_for("the request", lambda: len(scene.asked()) == 1)
    status = json.loads(scene.run("status", "--json"))
    assert status["fixing"]["finding"] == 1, status
    code, said = end(daemon, signal.SIGTERM)
    assert code == 0 and results(scene) == ["asked"], (code, said)
    scene.judge()
    assert len(scene.asked()) == 1 and one(scene, ASKED) == 1
    scene.queue(f"{WRONG}\n# fake: operators aten.cos.default")
    daemon = scene.daemon("--provider", "none", "--drain")
    wait_for("the second request", lambda: len(scene.asked()) == 2)
    (command,) = commands_of(daemon)
    daemon.kill()
    daemon.communicate()
    wait_for("the command's end", lambda: not lives(command))
    assert results(scene) == ["asked", "asked"]


def unavailable(parityd: str, folder: pathlib.Path) -> None:
    """A provider that fails is an event, and a daemon that drains does not wait for it."""
    scene = FixScene(parityd, folder, [DOWN], "automatic = true")
    scene.judge(WRONG)
    assert results(scene) == ["no_answer"], scene.tries()
    (text,) = events(scene, "fix_failed")
    assert "finding 1: exit code 3" in text and "begins in 60 s" in text, text


def unpaid(parityd: str, folder: pathlib.Path) -> None:
    """A budget that cannot pay the request: nothing is asked, and the finding is left as it is."""
    scene = FixScene(parityd, folder, [GOOD], "automatic = true\ndollars_per_day = 0.001")
    scene.judge(WRONG)
    assert scene.tries() == [] and scene.asked() == []
    (text,) = events(scene, "fix_failed")
    assert "fix: dollars_per_day = 0.001" in text, text


if __name__ == "__main__":
    main(
        {
            "second": second,
            "reads": reads,
            "stays": stays,
            "failing": failing,
            "spent": spent,
            "killed": killed,
            "resumed": resumed,
            "automatic": automatic,
            "stopped": stopped,
            "unavailable": unavailable,
            "unpaid": unpaid,
        }
    )
