"""kill -9 between two steps of the loop, at each point that agent/daemon/loop/kill_point.h names: what the kill leaves
behind is what the point's name says, and the next daemon makes good use of it. `all`: at one point after the other, in
one scene. CMake holds POINTS and that list together, both ways."""

import argparse
import pathlib
import signal
import sys
import tempfile

from audit import WORK_SECONDS, drain_and_audit, run_until
from scene import Scene
from service_scene import one

RESERVED = "SELECT count(*) FROM replies WHERE state = 'reserved'"
NOT_TAKEN_IN = "SELECT count(*) FROM replies WHERE state = 'answered' AND processed = 0"
UNFINISHED = "SELECT count(*) FROM programs WHERE state != 'finished'"
GATING = "SELECT count(*) FROM programs WHERE state = 'confirming'"
ANYTHING = "SELECT count(*) FROM events"

# Of each point: at which of its passages daemons die, one after another, and what there must be afterwards.
POINTS = {
    "resuming": ((1, 1), UNFINISHED),
    "reserved": ((1, 3, 9), RESERVED),
    "sent": ((1, 3, 9), RESERVED),
    "received": ((1, 2, 7), RESERVED),
    "validated": ((1, 2, 7), NOT_TAKEN_IN),
    "queued": ((1, 2, 7), NOT_TAKEN_IN),
    "executing": ((1, 2, 7), UNFINISHED),
    "judged": ((1, 2, 7), UNFINISHED),
    "stored": ((1, 2, 7), UNFINISHED),
    "suspected": ((1, 2, 3), UNFINISHED),
    "confirmed": ((1, 1), GATING),
    "reduced": ((1, 1), GATING),
    "attributed": ((1, 1), GATING),
    "swept": ((1, 1), GATING),
    "drafted": ((1, 1), GATING),
    "finished": ((1, 2, 7), UNFINISHED),
    "before_commit": ((1, 7, 40), ANYTHING),
    "after_commit": ((1, 7, 40), ANYTHING),
}


def kill_at(scene: Scene, point: str, passage: int) -> str:
    """What is wrong with that; nothing: an empty text."""
    code, output = scene.killed_at(f"{point}:{passage}", seconds=WORK_SECONDS)
    if code != -signal.SIGKILL:
        return f"it was to die at {point}, passage {passage}, and ended with {code}: {output[-2000:]}"
    return "" if one(scene, POINTS[point][1]) else f"the kill at {point}, passage {passage}, left nothing behind"


def kills_at(scene: Scene, point: str) -> list[str]:
    """What is wrong with its kills, one after another; an empty text for each that went well."""
    wrong = []
    for passage in POINTS[point][0]:
        if point == "resuming":
            run_until(scene, "something to take up", UNFINISHED)
        wrong.append(kill_at(scene, point, passage))
    print(f"killed at {point}: {one(scene, 'SELECT count(*) FROM programs')} programs so far", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("point", choices=[*POINTS, "all"])
    arguments = parser.parse_args()
    points = list(POINTS) if arguments.point == "all" else [arguments.point]
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(arguments.parityd, pathlib.Path(name), replies=100 if len(points) == 1 else 500)
        try:
            wrong = [sentence for point in points for sentence in kills_at(scene, point)]
            wrong += drain_and_audit(scene)
        finally:
            scene.end()
    for sentence in filter(None, wrong):
        print("WRONG:", sentence)
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
