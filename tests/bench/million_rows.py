"""How soon the daemon is ready and commands answer with a million programs in the database.

    million_rows.py --parityd build/release/bin/parityd [--programs 1000000] [--folder DIR]

Makes the database (two minutes and 2 GB for a million) and prints an object: `first_ready` is from the start of
`parityd run` until it has done what was asked of it before, when these findings have not been compared with the known
issues yet, as after an upgrade; `ready` is the same after a kill (median of three); `status`,
`findings` and `show` are medians of five; all in seconds. `backup`: how long a copy takes, and the 99th percentile of a
durable write's time beside it as a multiple of the same without it, before and after.
"""

import argparse
import contextlib
import json
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent" / "daemon" / "scenes"))
from scene import PROGRAM, Scene, wait_for

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {programs})"

# A program a second until now. Columns by name: what a later schema adds has a default.
FILL = """
INSERT INTO environments (id, torch, python, device, device_name, sandbox, text)
  VALUES (1, '{torch}', '3.12', 'cpu', 'a processor', 'full', '');
{numbers} INSERT INTO replies (id, provider, model, strategy, purpose, state, processed, class, finish, origin,
  prompt_tokens, cached_tokens, completion_tokens, reserved_nano_dollars, cost_nano_dollars, latency_ms, attempts,
  error, seed, reserved_at, ended_at, prompt, text)
  SELECT i, 'a', 'm', 'dtypes', 'generate', 'answered', 1, 'program', 'stop', '', 900, 0, 300, 1000, 900, 2000, 1, '',
    i, {since} + i * 1000, {since} + i * 1000 + 2000, '', '' FROM n WHERE i % 10 = 0;
{numbers} INSERT INTO programs (id, identity, origin, source, strategy, root, round, state, next_step, why,
  confirmation_hits, confirmation_rounds, options, verdict, rule, explanation, leaves, error_key, created_at,
  finished_at, text)
  SELECT i, printf('%032x', i * 7919), 'mutant', '', 'dtypes', i, 0, 'finished', '', '', 0, 0, '{{}}',
    CASE WHEN i % 100 = 0 THEN 'inconsistent' WHEN i % 7 = 0 THEN 'invalid' ELSE 'consistent' END, 'a.rule', 'because',
    '[]', '', {since} + i * 1000, {since} + i * 1000 + 500, hex(randomblob(200)) FROM n;
{numbers} INSERT INTO examinations (id, program, purpose, round, environment, compiled, same_detail, warnings,
  worker_seconds, at) SELECT i, i, 'screen', 0, 1, 'inductor', '', '[]', 0.5, {since} + i * 1000 FROM n;
{numbers} INSERT INTO runs (examination, mode, outcome, step, facts)
  SELECT i, 'eager', 'ran', 'forward', '{{"kind": "ran", "filler": "' || hex(randomblob(100)) || '"}}' FROM n;
{numbers} INSERT INTO findings (id, signature_hash, signature_text, kind, stage, status, disposition, severity,
  "trigger", title, explanation, device, torch, program, environment, hits, rounds, next_step, why, created_at, reduced)
  SELECT i, printf('%016x', i), 'numerical inductor aten.max ' || i, 'numerical', 'inductor', 'new',
    CASE WHEN i % 3 = 0 THEN 'ready' ELSE 'held(edge)' END, 1, 'ordinary', 'max: finding ' || i, 'output differs',
    'cpu', '{torch}', i * 100, 1, 3, 3, 'read the draft', 'confirmed', {since} + i * 1000, 'class Model: pass'
    FROM n WHERE i <= {programs} / 100;
{numbers} INSERT INTO occurrences (finding, program, why, at)
  SELECT i, i * 100, 'the first', {since} + i * 1000 FROM n WHERE i <= {programs} / 100;
"""


def fill(scene: Scene, programs: int, torch: str = "2.13.0") -> None:
    file = scene.folder / "asked.py"
    file.write_text(PROGRAM.format(deed="sleep 0.01", number=1))
    scene.run("import", str(file))  # makes the database
    database = sqlite3.connect(scene.folder / "state" / "parityd.db")
    since = int(time.time() - programs) * 1000
    numbers = NUMBERS.format(programs=programs)
    database.executescript(
        "PRAGMA synchronous = OFF; BEGIN;"
        + FILL.format(numbers=numbers, programs=programs, since=since, torch=torch)
        + "COMMIT; PRAGMA wal_checkpoint(TRUNCATE);"
    )
    database.close()
    (scene.folder / "state" / "parityd.db.clean").unlink(missing_ok=True)


def median_seconds(scene: Scene, *words: str) -> float:
    seconds = []
    for _ in range(5):
        began = time.monotonic()
        scene.run(*words)
        seconds.append(time.monotonic() - began)
    return statistics.median(seconds)


def started(scene: Scene) -> tuple[subprocess.Popen, float]:
    """A daemon that has been asked for something, and the seconds until it has done it."""
    began = time.monotonic()
    daemon = scene.daemon("--provider", "none", "--for", "2h")
    asked = "SELECT count(*) FROM requests WHERE result IS NULL"
    with contextlib.closing(scene.database()) as database:
        wait_for("the first turn", lambda: database.execute(asked).fetchone()[0] == 0)
    return daemon, time.monotonic() - began


def measure(scene: Scene) -> dict:
    daemon, first_ready = started(scene)
    ready = []
    try:
        for number in range(3):
            scene.queue(f"sleep 0.1{number}")
            daemon.kill()
            daemon.communicate()
            scene.queue(f"sleep 0.2{number}")
            daemon, seconds = started(scene)
            ready.append(seconds)
        figures = {
            "first_ready": first_ready,
            "ready": statistics.median(ready),
            "status": median_seconds(scene, "status"),
            "findings": median_seconds(scene, "findings"),
            "show": median_seconds(scene, "show", "3"),
            "bytes": (scene.folder / "state" / "parityd.db").stat().st_size,
        }
    finally:
        daemon.terminate()
        daemon.communicate()
    return figures


def write_times(scene: Scene, goes_on: Callable[[], bool]) -> list[float]:
    """Seconds of each write, of the size and durability of a daemon's, one after another as long as `goes_on`."""
    database = sqlite3.connect(scene.folder / "state" / "parityd.db", isolation_level=None, timeout=60)
    database.execute("PRAGMA synchronous = FULL")
    times = []
    while goes_on():
        began = time.monotonic()
        database.execute("UPDATE programs SET text = hex(randomblob(2000)) WHERE id = 3")
        times.append(time.monotonic() - began)
        time.sleep(0.005)  # a daemon does something between two writes, too
    database.close()
    return times


def percentile_99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98]


def measure_backup(scene: Scene) -> dict:
    """No daemon runs: its place is the writer's."""

    def alone() -> list[float]:
        until = time.monotonic() + 10
        return write_times(scene, lambda: time.monotonic() < until)

    before = alone()
    began = time.monotonic()
    command = [scene.parityd, "--state", str(scene.folder / "state"), "--config", str(scene.config)]
    backup = subprocess.Popen([*command, "backup", str(scene.folder / "copy.db")], env=scene.environment)
    beside = write_times(scene, lambda: backup.poll() is None)
    seconds = time.monotonic() - began
    assert backup.returncode == 0, backup.returncode
    after = alone()
    return {
        "seconds": seconds,
        "writes": [len(before), len(beside), len(after)],
        "p99_ratio": percentile_99(beside) / percentile_99(before + after),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--programs", type=int, default=1_000_000)
    parser.add_argument("--folder", type=pathlib.Path, help="where the database is made; default: the temporary folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        scene = Scene(arguments.parityd, pathlib.Path(name), replies=1)
        try:
            fill(scene, arguments.programs)
            figures = {"programs": arguments.programs, **measure(scene), "backup": measure_backup(scene)}
        finally:
            scene.end()
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
