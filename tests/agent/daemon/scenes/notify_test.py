"""The operator's command for ready findings ([notify]): once for each, in time, not too often, and never in the way."""

import json
import os
import pathlib
import re
import signal
import sys

from scene import WRONG, Scene, main, wait_for
from service_scene import children, end, events, finished, idle, lives, one, send

RUNNING = "SELECT count(*) FROM notifications WHERE state = 'running'"
SENT = "SELECT count(*) FROM notifications WHERE state = 'sent'"
READY = "SELECT count(*) FROM findings WHERE disposition = 'ready'"
# Writes what it was given into a file of its own, then does what it is told to.
COMMAND = """import json, os, pathlib, signal, subprocess, sys, time
told = {"environment": dict(os.environ), "facts": sys.stdin.read(), "pid": os.getpid(), "directory": os.getcwd()}
folder = pathlib.Path(__file__).parent / "told"
folder.mkdir(exist_ok=True)
file = folder / f"{os.environ['PARITYD_FINDING']}-{os.environ['PARITYD_ATTEMPT']}-{os.getpid()}.json"
file.with_suffix(".new").write_text(json.dumps(told))
file.with_suffix(".new").rename(file)
"""


def configure(scene: Scene, then: str = "", more: str = "") -> None:
    command = scene.folder / "command.py"
    command.write_text(COMMAND + then)
    text = scene.config.read_text().partition("\n[notify]")[0]
    notify = f'[notify]\ncommand = ["{sys.executable}", "{command}"]\n{more}\n'
    scene.config.write_text(f"{text}\n{notify}")


def without_command(scene: Scene) -> None:
    scene.config.write_text(scene.config.read_text().partition("\n[notify]")[0])


def wrong(operator: str) -> str:
    """A deed whose finding is no other operator's."""
    return f"{WRONG}\n# fake: operators aten.{operator}.default"


def told(scene: Scene) -> list[dict]:
    """What the commands were given, by finding and attempt."""
    files = sorted((scene.folder / "told").glob("*.json"))
    return [json.loads(file.read_text()) for file in files]


def once(parityd: str, folder: pathlib.Path) -> None:
    """All facts, no key, and nothing again at the next start; by hand as often as one likes."""
    scene = Scene(parityd, folder, 0)
    scene.environment["PARITYD_TEST_KEY"] = "a key that no command sees"
    configure(scene)
    scene.judge(WRONG)
    (given,) = told(scene)
    environment, facts = given["environment"], json.loads(given["facts"])
    (finding,) = json.loads(scene.run("findings", "--json"))
    assert finding["disposition"] == "ready", finding["disposition"]
    # The command does not wait for the trace log, which the daemon gathers later; the draft says whether it has.
    facts["draft"], finding["draft"] = (
        re.sub(r"\*\*Trace log\*\*: .*", "", each["draft"]) for each in (facts, finding)
    )
    assert facts == finding, {key: (facts.get(key), value) for key, value in finding.items() if facts.get(key) != value}
    assert environment["PARITYD_FINDING"] == str(finding["id"])
    assert environment["PARITYD_TITLE"] == finding["title"]
    assert environment["PARITYD_KIND"] == "numerical"
    assert environment["PARITYD_STATE"] == str(folder / "state")
    assert environment["PARITYD_ATTEMPT"] == "1"
    assert "PARITYD_TEST_KEY" not in environment
    assert given["directory"] == "/"
    assert events(scene, "notified") == ["finding 1"]
    scene.run("run", "--provider", "none", "--drain")
    assert len(told(scene)) == 1
    scene.run("notify", "1")
    assert len(told(scene)) == 2
    scene.run("notify", "7", expect=1)


def killed(parityd: str, folder: pathlib.Path) -> None:
    """kill -9 while the command runs: nobody knows what it did, so that it runs again, then no more. A command that
    takes the daemon with it each time is given up on."""
    scene = Scene(parityd, folder, 0)
    configure(scene, "if os.environ['PARITYD_ATTEMPT'] == '1': os.kill(os.getppid(), signal.SIGKILL)\n")
    scene.queue(WRONG)
    daemon = scene.daemon("--provider", "none", "--drain")
    daemon.communicate()
    assert daemon.returncode == -signal.SIGKILL
    assert one(scene, RUNNING) == 1
    scene.run("run", "--provider", "none", "--drain")
    assert [each["environment"]["PARITYD_ATTEMPT"] for each in told(scene)] == ["1", "2"]
    assert one(scene, SENT) == 1
    scene.run("run", "--provider", "none", "--drain")
    assert len(told(scene)) == 2


def rationed(parityd: str, folder: pathlib.Path) -> None:
    """No more an hour than may be; what waits is told by the next daemon, after kill -9 too."""
    scene = Scene(parityd, folder, 0)
    configure(scene, more="per_hour = 1")
    scene.queue(wrong("sin"), wrong("cos"))
    daemon = scene.daemon("--provider", "none")
    wait_for("two findings that are ready", lambda: one(scene, READY) == 2)
    wait_for("the first command's end", lambda: one(scene, SENT) == 1)
    daemon.kill()
    daemon.communicate()
    assert len(told(scene)) == 1
    configure(scene, more="per_hour = 2")
    scene.run("run", "--provider", "none", "--drain")
    assert sorted(each["environment"]["PARITYD_FINDING"] for each in told(scene)) == ["1", "2"]


def failing(parityd: str, folder: pathlib.Path) -> None:
    """Its exit code and last line are an event, and the finding waits for another try."""
    scene = Scene(parityd, folder, 0)
    configure(scene, "print('first', file=sys.stderr)\nsys.exit('no route\\x1b[31m')\n")
    scene.judge(WRONG)
    (text,) = events(scene, "notify_failed")
    assert "finding 1, try 1 of 3: exit code 1: no route" in text, text
    assert "\x1b" not in text
    assert one(scene, "SELECT count(*) FROM notifications WHERE state = 'waiting' AND attempts = 1") == 1
    assert "no route" in scene.run("notify", "1", expect=3)
    config = scene.config.read_text().replace(f'"{sys.executable}", ', '"/no/such/program", ')
    scene.config.write_text(config)
    scene.run("run", "--provider", "none", "--drain")
    assert "/no/such/program" in events(scene, "notify_failed")[1]


def slow(parityd: str, folder: pathlib.Path) -> None:
    """The loop goes on while a command takes its time; a daemon that ends takes it along; one that takes too long is
    ended with its children, and no zombie stays."""
    scene = Scene(parityd, folder, 0)
    sleeper = (
        "child = subprocess.Popen(['sleep', '600'])\n(folder / 'child').write_text(str(child.pid))\nchild.wait()\n"
    )
    configure(scene, sleeper, more="timeout_seconds = 3600")
    scene.queue(WRONG)
    daemon = scene.daemon("--provider", "none")
    child = folder / "told/child"
    wait_for("the command", lambda: child.exists() and child.read_text())
    before = finished(scene)
    scene.queue("sleep 0.01")
    wait_for("a program judged beside it", lambda: finished(scene) > before)
    first = int(child.read_text())
    assert lives(first)
    code, text = end(daemon, signal.SIGTERM, signal.SIGTERM)
    assert code == 0, (code, text)
    wait_for("the end of the command's child", lambda: not lives(first))
    child.unlink()
    configure(scene, sleeper, more="timeout_seconds = 1")
    daemon = idle(scene)  # one that has nothing to ask would end by itself
    wait_for("the event", lambda: events(scene, "notify_failed"))
    assert "it was killed after 1 s" in events(scene, "notify_failed")[0]
    second = child.exists() and child.read_text()  # on a crowded machine it was ended before it had a child
    wait_for("the end of the command's child", lambda: not second or not lives(int(second)))
    wait_for("all that ended to be reaped", lambda: all(lives(pid) for pid in children(daemon.pid)))
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)


def later(parityd: str, folder: pathlib.Path) -> None:
    """What became ready while nobody wanted to know is no news; a reload takes a command over."""
    scene = Scene(parityd, folder, 0)
    without_command(scene)
    scene.judge(wrong("sin"))
    assert one(scene, READY) == 1
    daemon = idle(scene)
    configure(scene)
    send(daemon, signal.SIGHUP)
    wait_for("the reload", lambda: events(scene, "reloaded"))
    scene.queue(wrong("cos"))
    wait_for("the second finding to be told", lambda: one(scene, SENT) == 1)
    assert [each["environment"]["PARITYD_FINDING"] for each in told(scene)] == ["2"]
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)
    assert os.listdir(folder / "told"), "nothing was told"


if __name__ == "__main__":
    main({"once": once, "killed": killed, "rationed": rationed, "failing": failing, "slow": slow, "later": later})
