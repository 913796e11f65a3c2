"""kill -9 between two steps of the loop, at each point of kill_points.json: what the kill leaves behind is what the
point's name says, and the next daemon makes good use of it. `all`: at one point after the other, in one scene."""

import argparse
import json
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
CONFIRMING = "SELECT count(*) FROM programs WHERE state = 'confirming'"
ANYTHING = "SELECT count(*) FROM events"

LEFT = {
    "reserved": RESERVED,
    "not_taken_in": NOT_TAKEN_IN,
    "unfinished": UNFINISHED,
    "confirming": CONFIRMING,
    "anything": ANYTHING,
}
# Of each point: at which of its passages daemons die, one after another, and what there must be afterwards.
TABLE = pathlib.Path(__file__).with_name("kill_points.json")
POINTS = {row["name"]: (row["passages"], LEFT[row["left"]]) for row in json.loads(TABLE.read_text())}


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
