"""The daemon's log (fault 5, its part; fault 40): rotated by itself, rotated or removed by others, and full."""

import pathlib
import resource
import signal

from scene import Scene, main, wait_for
from service_scene import drains, end, events, finished, idle, one, send


def with_log(scene: Scene, more: str = "") -> pathlib.Path:
    """Relative to the state folder."""
    scene.config.write_text(scene.config.read_text() + f'\n[log]\nfile = "the.log"\n{more}\n')
    return scene.folder / "state/the.log"


def holds(file: pathlib.Path, text: str) -> bool:
    return file.exists() and text in file.read_text()


def moved_and_removed(parityd: str, folder: pathlib.Path) -> None:
    """The next line goes to a file of the old name, made anew."""
    scene = Scene(parityd, folder, 0)
    log = with_log(scene)
    daemon = idle(scene)
    wait_for("the first line", lambda: holds(log, "Z info start: provider standin\n"))
    log.rename(folder / "state/moved.log")
    send(daemon, signal.SIGHUP)
    wait_for("a line after the rename", lambda: holds(log, "Z info reloaded: "))
    assert "reloaded" not in (folder / "state/moved.log").read_text()
    log.unlink()
    send(daemon, signal.SIGHUP)
    wait_for("a line after the removal", lambda: holds(log, "Z info reloaded: "))
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)
    assert holds(log, "Z info end: as asked\n")
    assert log.stat().st_mode & 0o777 == 0o600


def rotated(parityd: str, folder: pathlib.Path) -> None:
    """No file is longer than asked, no more are kept than asked, and the youngest lines are there."""
    scene = Scene(parityd, folder, 0)
    log = with_log(scene, 'max_size = "4K"\nfiles = 2')
    daemon = idle(scene)
    oldest = folder / "state/the.log.2"
    bad = scene.config.read_text() + "\n" + "\n".join(f"no_such_key_{number} = 1" for number in range(20))
    scene.config.write_text(bad)
    for _ in range(100):
        before = len(events(scene, "config_refused"))
        send(daemon, signal.SIGHUP)
        wait_for("the refusal", lambda before=before: len(events(scene, "config_refused")) > before)
        if oldest.exists() and before >= 12:
            break
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)
    files = sorted(each.name for each in (folder / "state").glob("the.log*"))
    assert files == ["the.log", "the.log.1", "the.log.2"], files
    assert all((folder / "state" / each).stat().st_size <= 4096 for each in files)
    assert "info end: as asked" in log.read_text()


def full(parityd: str, folder: pathlib.Path) -> None:
    """A file may not grow beyond what the log has already: its lines are dropped, counted and told; the daemon works.
    Once there is room again the log goes on where it was."""
    scene = Scene(parityd, folder, 10)
    log = with_log(scene, 'max_size = "1G"')
    log.parent.mkdir()
    size = 16 << 20  # more than the database and its side files come to
    with log.open("wb") as file:
        file.truncate(size - 1)
        file.seek(size - 1)
        file.write(b"\n")
    limits = (size + 20, resource.RLIM_INFINITY)
    daemon = scene.daemon(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits))
    wait_for("finished programs", lambda: finished(scene) >= 3)
    wait_for("the event", lambda: len(events(scene, "log_lines_dropped")) >= 1)
    assert "the.log: lines are dropped: " in events(scene, "log_lines_dropped")[0], events(scene, "log_lines_dropped")
    assert log.stat().st_size == size, "half a line was left"
    log.unlink()
    send(daemon, signal.SIGHUP)  # so that there is something to write
    again = "lines were dropped"
    wait_for("the line about it", lambda: any(again in each for each in events(scene, "log_lines_dropped")))
    code, text = end(daemon, signal.SIGTERM)
    assert code == 0, (code, text)
    assert holds(log, "info end: as asked")
    drains(scene)
    assert one(scene, "SELECT count(*) FROM harness_failures") == 0


def behind(parityd: str, folder: pathlib.Path) -> None:
    """Without a terminal and a setting the log is STATE/parityd.log."""
    scene = Scene(parityd, folder, 0)
    scene.config.write_text(scene.config.read_text().replace("[modes]", "[budget]\ndollars_total = 1e-9\n\n[modes]"))
    said = scene.run("run", "--background")
    log = folder / "state/parityd.log"
    assert f"log {log}" in said, said
    wait_for("the start", lambda: holds(log, "info start: provider standin"))
    scene.run("stop", "--timeout", "100")
    assert holds(log, "info stop: stop requested by"), log.read_text()
    assert holds(log, "info end: as asked"), log.read_text()


if __name__ == "__main__":
    main({"moved_and_removed": moved_and_removed, "rotated": rotated, "full": full, "behind": behind})
