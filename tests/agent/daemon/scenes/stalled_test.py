"""Workers stop starting in the middle of a run: the daemon says so, waits and loses nothing. Where none ever started it
ends, with the reason."""

import argparse
import json
import pathlib
import signal
import tempfile
import time

from scene import PATIENCE, ROOT, Scene, wait_for

LAUNCH = """#!/bin/sh
if [ -e "{broken}" ]; then echo "the machine is out of order" >&2; exit 1; fi
exec "{launch}" "$@"
"""


def finished(scene: Scene) -> int:
    if not (scene.folder / "state/parityd.db").exists():
        return 0
    with scene.database() as database:
        return database.execute("SELECT count(*) FROM programs WHERE state = 'finished'").fetchone()[0]


def answered(scene: Scene) -> int:
    """Imports that the loop has taken in; one of them may be a program that a reply has brought, too."""
    with scene.database() as database:
        return database.execute("SELECT count(*) FROM requests WHERE result IS NOT NULL").fetchone()[0]


def told(scene: Scene) -> list[str]:
    with scene.database() as database:
        return [text for (text,) in database.execute("SELECT text FROM events WHERE what = 'no_workers' ORDER BY id")]


def settled(scene: Scene) -> bool:
    """It holds, and no worker whose start had begun before can come and end it for a while."""
    with scene.database() as database:
        last = database.execute("SELECT max(at) FROM events WHERE what = 'no_workers'").fetchone()[0]
    degraded = json.loads(scene.run("status", "--json"))["condition"] == "degraded"
    return degraded and time.time() * 1000 - last > 5000


def check(folder: pathlib.Path, parityd: str) -> None:
    scene = Scene(parityd, folder, replies=40)
    broken = folder / "broken"
    launch = folder / "launch"
    real = ROOT / "tests/fake_worker/launch"
    launch.write_text(LAUNCH.format(broken=broken, launch=real))
    launch.chmod(0o755)
    config = scene.config.read_text().replace(str(real), str(launch))
    scene.config.write_text(config.replace("[executor]", "[executor]\nprograms_per_worker = 2\nspares = 0"))

    broken.touch()
    scene.queue("sleep 0.01")  # with nothing to do it may end before a start fails
    daemon = scene.daemon("--drain")
    text, _ = daemon.communicate(timeout=PATIENCE)
    assert daemon.returncode == 3 and "the machine is out of order" in text, (daemon.returncode, text)

    broken.unlink()
    daemon = scene.daemon()
    wait_for("a finished program", lambda: finished(scene) > 0)
    broken.touch()
    wait_for("the event", lambda: sum("no worker starts" in text for text in told(scene)) >= 2)
    wait_for("its last worker's end", lambda: settled(scene))
    assert any("out of order" in text for text in told(scene)), told(scene)
    assert daemon.poll() is None, "it has to wait for workers"
    asked = len(scene.sent())
    status = json.loads(scene.run("status", "--json"))
    assert status["condition"] == "degraded", status
    assert "no_workers" in [alarm["kind"] for alarm in status["alarms"]], status["alarms"]
    before = answered(scene)
    scene.queue("sleep 0.02")
    wait_for("the loop to take it in", lambda: answered(scene) == before + 1)
    daemon.send_signal(signal.SIGTERM)
    text, _ = daemon.communicate(timeout=PATIENCE)
    assert daemon.returncode == 0, (daemon.returncode, text)
    assert "error no_workers: no worker starts" in text, text
    # Once, however long it lasts; a start that had begun before may have ended it for a moment.
    assert text.count("error no_workers") <= text.count("no_workers: it is over") + 1, text
    assert len(scene.sent()) <= asked + 4, "what was in flight may have come, nothing more is asked"
    assert json.loads(scene.run("status", "--json"))["condition"] == "stopped"

    broken.unlink()
    out = scene.run("run", "--provider", "none", "--drain", "--json")
    summary = json.loads(next(line for line in out.splitlines() if line.startswith("{")))
    assert summary["invalid"] >= 0 and summary["valid"] <= summary["programs"], summary
    with scene.database() as database:
        left = database.execute("SELECT count(*) FROM programs WHERE state != 'finished'").fetchone()[0]
        failures = database.execute("SELECT count(*) FROM harness_failures").fetchone()[0]
    assert left == 0 and failures == 0, (left, failures)
    scene.end()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--parityd", required=True)
    with tempfile.TemporaryDirectory() as folder:
        check(pathlib.Path(folder), parser.parse_args().parityd)
    print("ok")


if __name__ == "__main__":
    main()
