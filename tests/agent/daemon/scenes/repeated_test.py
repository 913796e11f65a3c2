"""fault 33: a request whose answer came too late, or was lost in a crash, is made again: what both of them answer is
one program, and both are in the books."""

import json
import pathlib
import signal
import sqlite3

from audit import NANO_DOLLARS
from scene import PATIENCE, PROGRAM, Scene, main

REPAIR = "failed in eager mode"
INVALID = PROGRAM.format(deed="raise eager ValueError shapes do not fit\n# fake: raise inductor ValueError", number=1)
MENDED = PROGRAM.format(deed="sleep 0.02", number=2)


def fenced(program: str) -> str:
    return f"```python\n{program}```\n"


def books(scene: Scene, requests: int) -> sqlite3.Connection:
    """So many requests for one repair came to one program, and all of them are paid for."""
    database = scene.database()
    asked = [e for e in map(json.loads, scene.journal.read_text().splitlines()) if e["event"] == "request"]
    repairs = [entry for entry in asked if entry["purpose"] == "repair"]
    assert len(repairs) == requests, repairs
    assert len({entry["prompt"] for entry in repairs}) == 1, "they are not one request made again"
    query = "SELECT count(*), count(DISTINCT identity) FROM programs WHERE origin = 'repair'"
    assert database.execute(query).fetchone() == (1, 1)
    billed = sum(price * entry["usage"][kind] for entry in scene.sent() for kind, price in NANO_DOLLARS.items())
    (charged,) = database.execute("SELECT sum(charged_nano_dollars) FROM replies").fetchone()
    assert charged >= billed > 0, (charged, billed)
    left = "SELECT count(*) FROM programs WHERE state != 'finished'"
    assert database.execute(left).fetchone() == (0,)
    return database


def lost(parityd: str, folder: pathlib.Path) -> None:
    """The daemon dies with the answer in its hands, three times."""
    rules = [{"match": REPAIR, "reply": fenced(MENDED), "times": 9}, {"reply": fenced(INVALID), "times": 9}]
    scene = Scene(parityd, folder, 1, rules=rules)
    for passage, programs in ((2, 1), (1, 0), (1, 0)):  # the first answer is the invalid program
        code, output = scene.killed_at(f"received:{passage}", "--programs", str(programs))
        assert code == -signal.SIGKILL, (code, output)
    scene.run("run", "--programs", "0", "--json")
    database = books(scene, 4)
    rows = database.execute("SELECT state, count(*) FROM replies WHERE purpose = 'repair' GROUP BY state").fetchall()
    assert dict(rows) == {"unknown": 3, "answered": 1}, rows
    free = "SELECT count(*) FROM replies WHERE state = 'unknown' AND charged_nano_dollars = 0"
    assert database.execute(free).fetchone() == (0,)


def late(parityd: str, folder: pathlib.Path) -> None:
    """The first answer comes after the daemon has given up on it."""
    rules = [
        {"match": REPAIR, "reply": fenced(MENDED), "delay": 3 * PATIENCE, "times": 1},
        {"match": REPAIR, "reply": fenced(MENDED), "times": 9},
        {"reply": fenced(INVALID), "times": 9},
    ]
    scene = Scene(parityd, folder, 1, rules=rules, more="total_timeout_seconds = 20\n")
    scene.run("run", "--programs", "1", "--json")
    database = books(scene, 2)
    query = "SELECT state, attempts, charged_nano_dollars FROM replies WHERE purpose = 'repair'"
    ((state, attempts, charged),) = database.execute(query).fetchall()
    assert (state, attempts) == ("answered", 2), (state, attempts)
    (answer,) = (entry for entry in scene.sent() if entry["file"] == "script" and entry["n"] == 3)
    billed = sum(price * answer["usage"][kind] for kind, price in NANO_DOLLARS.items())
    assert charged >= 2 * billed, f"{charged} for two answers of {billed} each"


if __name__ == "__main__":
    main({case.__name__: case for case in (late, lost)})
