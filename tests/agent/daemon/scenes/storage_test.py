"""The database's file and its disk around a real daemon: no space, no rights, damage, copies."""

import argparse
import atexit
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable

from scene import Scene, wait_for
from service_scene import one

EVER_FREE = 900_000_000  # mebibytes: more than any machine has free


def set_floor(scene: Scene, mebibytes: int) -> None:
    text = scene.config.read_text()
    lines = [f"disk_floor = {mebibytes}" if line.startswith("disk_floor") else line for line in text.splitlines()]
    scene.config.write_text("\n".join(lines))


def stop(daemon: subprocess.Popen) -> str:
    daemon.send_signal(signal.SIGTERM)
    output, _ = daemon.communicate(timeout=240)
    assert daemon.returncode == 0, output
    return output


def paused(scene: Scene) -> None:
    set_floor(scene, EVER_FREE)
    daemon = scene.daemon()
    wait_for("the pause", lambda: one(scene, "SELECT count(*) FROM events WHERE what = 'disk_full'"))
    said = scene.run("status")
    assert "paused" in said and "disk_floor" in said, said
    output = stop(daemon)
    assert output.count("disk_full") == 1, output
    assert scene.sent() == [], "a model was asked although the disk is full"
    set_floor(scene, 0)
    daemon = scene.daemon()
    wait_for("an answer", lambda: one(scene, "SELECT count(*) FROM replies WHERE state = 'answered'"))
    stop(daemon)


def fill(folder: pathlib.Path) -> pathlib.Path:
    """A file that takes all the space there is."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as stream:
        try:
            while stream.write(b"x" * 4096):
                pass
        except OSError:
            pass
    return filler


def full(scene: Scene) -> None:
    """On a file system of its own, in a mount namespace of its own: the machine's are left alone."""
    state = scene.folder / "state"
    state.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", state], check=True)
    try:
        daemon = scene.daemon()
        wait_for("some programs", lambda: one(scene, "SELECT count(*) > 3 FROM programs"))
        filler = fill(state)
        seen: list[str] = []
        wait_for("the pause", lambda: seen.append(daemon.stdout.readline()) or "disk_full" in seen[-1])
        filler.unlink()
        before = one(scene, "SELECT count(*) FROM programs")
        wait_for("programs again", lambda: one(scene, "SELECT count(*) FROM programs") > before)
        stop(daemon)
        assert one(scene, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'") == 0
        assert one(scene, "SELECT count(*) FROM events WHERE what = 'disk_full'") >= 1
    finally:
        subprocess.run(["umount", "-l", state], check=True)


def as_nobody(scene: Scene) -> bool:
    """Root may write everywhere: whether the daemon can be run as somebody else here."""
    if os.geteuid() != 0:
        return True
    for path in [scene.folder, *scene.folder.rglob("*")]:
        os.chown(path, 65534, 65534)
    scene.folder.chmod(0o700)
    scene.environment |= {"HOME": str(scene.folder), "XDG_STATE_HOME": str(scene.folder)}
    nobody = {"user": 65534, "group": 65534, "extra_groups": [], "capture_output": True, "check": False}
    scripts = ["import sys; open(sys.argv[1])", str(pathlib.Path(__file__).parents[3] / "fake_worker" / "launch")]
    commands = [[scene.parityd, "--version"], [sys.executable, "-c", *scripts]]
    return all(subprocess.run(command, **nobody).returncode == 0 for command in commands)


def unwritable(scene: Scene) -> None:
    try:
        possible = as_nobody(scene)
    except PermissionError:
        possible = False
    if not possible:
        print("SKIPPED: the daemon cannot be run as another user here")
        return
    identity = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    command = [scene.parityd, "--state", str(scene.folder / "state"), "--config", str(scene.config), "run"]
    daemon = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=scene.environment, **identity
    )
    atexit.register(daemon.kill)
    state = scene.folder / "state"
    wait_for("some programs", lambda: one(scene, "SELECT count(*) > 3 FROM programs"))
    state.chmod(0o500)
    seen: list[str] = []
    wait_for("the pause", lambda: seen.append(daemon.stdout.readline()) or "disk_read_only" in seen[-1])
    assert str(state) in seen[-1] and "make it writable" in seen[-1], seen[-1]
    state.chmod(0o700)
    before = one(scene, "SELECT count(*) FROM programs")
    wait_for("programs again", lambda: one(scene, "SELECT count(*) FROM programs") > before)
    stop(daemon)


def root_page(scene: Scene, table: str) -> int:
    return one(scene, f"SELECT rootpage FROM sqlite_schema WHERE name = '{table}'")


def scramble(scene: Scene, page: int) -> None:
    with (scene.folder / "state" / "parityd.db").open("r+b") as stream:
        stream.seek((page - 1) * 4096)
        stream.write(b"\xa5" * 600)


def facts(scene: Scene) -> list[int]:
    return [one(scene, f"SELECT count(*) FROM {table}") for table in ("findings", "replies", "programs", "drafts")]


def check_saved(scene: Scene, said: str, before: list[int]) -> None:
    assert "database_damaged" in said and "database_set_aside" in said, said
    kept = list((scene.folder / "state").glob("parityd.db.damaged-*"))
    assert len(kept) == 1 and (kept[0] / "parityd.db").exists(), kept
    assert str(kept[0]) in said, said
    assert facts(scene) == before, (facts(scene), before)
    status = scene.run("status", "--json")
    assert str(kept[0]) in status and "database_set_aside" in status, status
    scene.run("run", "--provider", "none", "--drain")
    assert one(scene, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'") == 0


def damaged(scene: Scene) -> None:
    scene.run("run", "--programs", "8")
    before = facts(scene)
    assert before[0] > 0, "there is no finding to save"
    scramble(scene, root_page(scene, "state_values"))  # read at the start
    check_saved(scene, scene.run("run", "--provider", "none", "--drain", expect=3), before)


def unclean(scene: Scene) -> None:
    scene.run("run", "--programs", "8")
    before = facts(scene)
    scramble(scene, root_page(scene, "inspections_blob"))  # an index that nobody needs at the start
    (scene.folder / "state" / "parityd.db.clean").unlink()  # as a kill leaves it
    daemon = scene.daemon("--provider", "none")
    output, _ = daemon.communicate(timeout=240)
    assert daemon.returncode == 3, output
    assert "unclean_stop" in output, output
    check_saved(scene, output, before)


def backup(scene: Scene) -> None:
    copy = scene.folder / "copy.db"
    daemon = scene.daemon()
    wait_for("some programs", lambda: one(scene, "SELECT count(*) > 3 FROM programs"))
    scene.run("backup", str(copy))
    wait_for("its record", lambda: one(scene, "SELECT count(*) FROM state_values WHERE key = 'last_backup'"))
    assert "already exists" in scene.run("backup", str(copy), expect=3)
    stop(daemon)
    database = sqlite3.connect(f"file:{copy}?mode=ro", uri=True)
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    programs = database.execute("SELECT count(*) FROM programs").fetchone()[0]
    database.close()
    assert "backed up" in scene.run("status")
    assert programs < one(scene, "SELECT count(*) FROM programs") or programs > 3
    said = scene.run("backup", "--restore", str(copy))
    assert "kept in" in said, said
    assert one(scene, "SELECT count(*) FROM programs") == programs
    shutil.rmtree(next((scene.folder / "state").glob("parityd.db.replaced-*")))
    scene.run("run", "--provider", "none", "--drain")


def enter_mounts_of_our_own() -> bool:
    """Begins again where what is mounted is seen by nobody else, and goes with us."""
    if os.environ.get("PARITYD_TEST_MOUNTS"):
        return True
    alone = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    trial = "mount -t tmpfs none /mnt"
    try:
        if subprocess.run([*alone, "sh", "-c", trial], capture_output=True, check=False).returncode != 0:
            return False
    except OSError:
        return False
    os.environ["PARITYD_TEST_MOUNTS"] = "1"
    os.execvp(alone[0], [*alone, sys.executable, *sys.argv])


CASES: dict[str, Callable[[Scene], None]] = {
    "paused": paused,
    "full": full,
    "unwritable": unwritable,
    "damaged": damaged,
    "unclean": unclean,
    "backup": backup,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("case", choices=CASES)
    arguments = parser.parse_args()
    if arguments.case == "full" and not enter_mounts_of_our_own():
        print("SKIPPED: no file system can be mounted here")
        return 0
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(arguments.parityd, pathlib.Path(name), replies=400)
        try:
            CASES[arguments.case](scene)
        finally:
            scene.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
