"""What programs and machines do to workers, with a whole daemon: what is judged, what is told, what goes on."""

import json
import signal

from scene import Scene, main, wait_for


def rows(scene: Scene, query: str, *values: object) -> list[tuple]:
    if not (scene.folder / "state/parityd.db").exists():
        return []
    with scene.database() as database:
        return database.execute(query, values).fetchall()


def told(scene: Scene, kind: str) -> int:
    """How often, and that the tables, `status` and `stats` say the same."""
    (times,) = rows(scene, "SELECT coalesce(sum(times), 0) FROM alarms WHERE kind = ?", kind)[0]
    for command in ("status", "stats"):
        said = json.loads(scene.run(command, "--json"))
        assert said["counters"][kind] == times, (command, kind, said["counters"])
    return times


def verdicts(scene: Scene) -> list[str]:
    return [verdict for (verdict,) in rows(scene, "SELECT verdict FROM programs ORDER BY id")]


def memory(scene: Scene) -> None:
    """fault 19: whoever eats all memory is the machine's limit, raised or killed for it."""
    summary = scene.judge("raise inductor MemoryError all of it", "die SIGKILL at inductor.compile", "sleep 0.01")
    assert summary["findings"] == 0, summary
    assert verdicts(scene) == ["excused", "excused", "consistent"], verdicts(scene)
    assert told(scene, "worker_out_of_memory") >= 1
    assert told(scene, "worker_died") >= 1


def poison(scene: Scene) -> None:
    """fault 24"""
    summary = scene.judge("sleep 0.01", "garbage", "sleep 0.02", "sleep 0.03")
    assert summary["findings"] == 0 and summary["harness_failures"] == 1, summary
    assert [verdict for verdict in verdicts(scene) if verdict == "consistent"] == ["consistent"] * 3, verdicts(scene)
    ((state, why),) = rows(scene, "SELECT state, why FROM programs WHERE verdict IS NULL OR verdict = ''")
    assert state == "finished" and "parityd itself failed, not the program" in why, (state, why)
    ((text,),) = rows(scene, "SELECT text FROM harness_failures")
    assert "it killed 2 workers" in text and "programs; then: " in text, text
    assert told(scene, "poison_program") == 1
    events = rows(scene, "SELECT level, text FROM events WHERE what = 'poison_program'")
    assert len(events) == 1 and events[0][0] == "warning" and text[:150] in events[0][1], events
    shown = json.loads(scene.run("status", "--json"))["alarms"]
    assert "poison_program" in [alarm["kind"] for alarm in shown], shown
    assert "poison_program" in scene.run("status"), "a person sees it too"


def device(scene: Scene) -> None:
    """fault 42: a lost device is no finding; an error of the program's own is one when fresh processes show it."""
    summary = scene.judge("raise inductor RuntimeError CUDA error: GPU is lost")
    assert summary["findings"] == 0, summary
    assert verdicts(scene) == ["excused"], verdicts(scene)
    summary = scene.judge("raise inductor RuntimeError CUDA error: an illegal memory access was encountered")
    assert summary["findings"] == 1, summary


def device_memory(scene: Scene) -> None:
    """fault 44: it waits and runs again, and is neither judged nor a finding meanwhile."""
    scene.queue("raise eager OutOfMemoryError CUDA out of memory", "sleep 0.01")
    daemon = scene.daemon("--provider", "none")
    count = "SELECT times FROM alarms WHERE kind = 'device_out_of_memory'"
    wait_for("the second try", lambda: any(times >= 2 for (times,) in rows(scene, count)))
    ((state, why),) = rows(scene, "SELECT state, why FROM programs WHERE why LIKE 'the device was out of memory%'")
    assert state == "queued" and "retried later" in why, (state, why)
    wait_for("the other program", lambda: "consistent" in verdicts(scene))
    daemon.send_signal(signal.SIGTERM)
    daemon.communicate(timeout=120)
    assert rows(scene, "SELECT count(*) FROM findings") == [(0,)]


def unsteady(scene: Scene) -> None:
    """fault 46"""
    summary = scene.judge("value eager=1.0 eager_repeat=3.0 inductor=2.0 reference=1.0 inductor_fp64=2.0")
    assert summary["findings"] == 0, summary
    assert verdicts(scene) == ["unstable"], verdicts(scene)
    assert told(scene, "program_unsteady") >= 1


CASES = {case.__name__: case for case in (memory, poison, device, device_memory, unsteady)}


if __name__ == "__main__":
    main(CASES, lambda parityd, folder: Scene(parityd, folder, replies=1))
