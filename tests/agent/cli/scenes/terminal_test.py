"""parityd on a terminal: what it draws, in which size and colour, and what Ctrl-C does."""

import json
import pathlib
import re
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "daemon" / "scenes"))

from scene import PATIENCE, WRONG, Scene, main, wait_for
from service_scene import LONG, one
from terminal import Terminal, environment_in

SECOND_SCREEN, FIRST_SCREEN = "\x1b[?1049h", "\x1b[?1049l"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def judged(parityd: str, folder: pathlib.Path) -> Scene:
    """A state folder with a finding, a dropped program, events."""
    scene = Scene(parityd, folder, 0)
    scene.judge(WRONG, "raise eager ValueError no", "sleep 0.01")
    return scene


def on_terminal(scene: Scene, *words: str, columns: int = 80, rows: int = 24, **environment: str) -> Terminal:
    command = [scene.parityd, "--state", str(scene.folder / "state"), "--config", str(scene.config), *words]
    more = {"XDG_CACHE_HOME": str(scene.folder / "cache")} | environment
    return Terminal(command, environment_in(scene.folder, **more), columns, rows)


def shown(scene: Scene, *words: str, columns: int = 80, **environment: str) -> str:
    """All that a command writes to a terminal."""
    terminal = on_terminal(scene, *words, columns=columns, **environment)
    code = terminal.end()
    assert code in (0, 1), (words, code, terminal.text)
    return terminal.text


def watched(parityd: str, folder: pathlib.Path) -> None:
    """The page is drawn at once and again, on the terminal's second screen, which is left as it was found."""
    scene = judged(parityd, folder)
    terminal = on_terminal(scene, "status", "--watch", "--every", "1", columns=80, rows=30)
    terminal.until("two pages", lambda text: text.count("\x1b[H") >= 2)
    assert terminal.text.startswith(SECOND_SCREEN), terminal.text[:100]
    assert "Ctrl-C ends this" in terminal.text
    terminal.resize(60, 5)
    drawn = terminal.text.count("\x1b[H")
    terminal.until("a page of the new size", lambda text: text.count("\x1b[H") > drawn + 1)
    page = terminal.text.split("\x1b[H")[-2]
    lines = STEERING.sub("", page).split("\r\n")
    assert len(lines) <= 5, lines
    assert all(len(line) <= 60 or str(folder) in line for line in lines), lines
    terminal.type("\x03")
    assert terminal.end() == 0, terminal.text[-500:]
    assert terminal.text.count(FIRST_SCREEN) == 1
    last = terminal.text.rpartition(FIRST_SCREEN)[2]
    assert "programs" in last, last  # what was seen last stays
    assert "\x1b[?25h" in terminal.text  # the cursor, too


def piped(parityd: str, folder: pathlib.Path) -> None:
    scene = judged(parityd, folder)
    command = [
        parityd,
        "--state",
        str(folder / "state"),
        "--config",
        str(scene.config),
        "status",
        "--watch",
        "--every",
        "1",
    ]
    watching = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=scene.environment)
    lines = [watching.stdout.readline() for _ in range(3)]
    assert all(re.match(r"\d{4}-.*  not running  programs 3  ", line) for line in lines), lines
    watching.send_signal(signal.SIGTERM)
    assert watching.wait(PATIENCE) == 0
    watching.stdout.close()
    watching = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True, env=scene.environment)
    assert json.loads(watching.stdout.readline())["programs"] == 3
    watching.stdout.close()  # as `head -1` does
    assert watching.wait(PATIENCE) == 0
    behind = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command]  # as nohup does
    watching = subprocess.Popen(behind, stdout=subprocess.PIPE, text=True, env=scene.environment)
    assert watching.stdout.readline()
    watching.send_signal(signal.SIGHUP)
    assert all(watching.stdout.readline() for _ in range(2)), "a hangup ended it"
    watching.send_signal(signal.SIGTERM)
    assert watching.wait(PATIENCE) == 0
    watching.stdout.close()


def colours(parityd: str, folder: pathlib.Path) -> None:
    scene = judged(parityd, folder)
    assert COLOUR.search(shown(scene, "findings"))
    assert COLOUR.search(shown(scene, "findings", NO_COLOR=""))
    for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        for words in (("findings",), ("status",), ("show", "1"), ("stats",), ("--help",)):
            text = shown(scene, *words, **more)
            assert "\x1b" not in text, (more, words, text)
    assert "\x1b" not in scene.run("findings") + scene.run("status") + scene.run("show", "1")
    terminal = on_terminal(scene, "status", "--watch", "--every", "1", TERM="dumb")
    terminal.until("two lines", lambda text: text.count("not running") >= 2)
    assert "\x1b" not in terminal.text
    terminal.type("\x03")
    assert terminal.end() == 0


def sizes(parityd: str, folder: pathlib.Path) -> None:
    scene = judged(parityd, folder)
    commands = [("status",), ("stats",), ("stats", "--coverage"), ("findings",), ("findings", "--queue"), ("--help",)]
    commands += [("run", "--help"), ("findings", "--help"), ("rejudge",)]
    for columns in (60, 80, 160):
        for words in commands:
            text = STEERING.sub("", shown(scene, *words, columns=columns))
            # A path is one word: it is never cut.
            long = [line for line in text.split("\r\n") if len(line) > columns and str(folder) not in line]
            assert not long, (columns, words, long)
    title = json.loads(scene.run("findings", "--json"))[0]["title"]
    assert title in scene.run("findings"), "cut in a pipe"
    scene.environment["COLUMNS"] = "60"
    assert all(len(line) <= 60 for line in scene.run("findings").splitlines())


def drained(parityd: str, folder: pathlib.Path) -> None:
    """The first Ctrl-C says what it waits for and what another one does; the second one waits for nothing."""
    scene = Scene(parityd, folder, 0)
    scene.queue(LONG, LONG.replace("600", "601"))
    terminal = on_terminal(scene, "run", "--provider", "none", columns=160)
    running = "SELECT count(*) FROM programs WHERE state = 'executing'"
    terminal.until("programs in flight", lambda text: "running 2" in text)
    terminal.type("\x03")
    terminal.until("what is drained", lambda text: "2 runs in flight" in text)
    terminal.until("what another one does", lambda text: "Ctrl-C again ends at once" in text)
    terminal.type("\x03")
    assert terminal.end() == 0, terminal.text[-2000:]
    assert "programs in" in terminal.text.rpartition("Ctrl-C again")[2], "there is no summary"
    assert one(scene, running) == 0 or one(scene, "SELECT count(*) FROM programs WHERE verdict IS NULL") == 2
    wait_for("the lock to be free", lambda: "not running" in scene.run("status"))


if __name__ == "__main__":
    main({"watched": watched, "piped": piped, "colours": colours, "sizes": sizes, "drained": drained})
