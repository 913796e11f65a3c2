"""kill -9 at random times: nothing answered is lost, nothing is counted twice.

The daemon (real binary, real SQLite, fake worker, stand-in API over HTTP) is killed again and again. Prints its seed;
`--seed N` repeats the kill times.
"""

import argparse
import pathlib
import random
import signal
import sys
import tempfile
import time

from audit import drain_and_audit, run_until
from scene import Scene
from service_scene import one

FINISHED = "SELECT count(*) FROM programs WHERE state = 'finished'"
LEAST_FINISHED = 2  # the first program, by which the pace is taken, and one of a daemon that was killed
MOST_SECONDS = 240  # of killing: a machine that is busy with something else does not come to all of them


def pace(scene: Scene) -> float:
    """Seconds from a daemon's start to its first finished program, here and now."""
    began = time.monotonic()
    run_until(scene, "a finished program", FINISHED)
    return time.monotonic() - began


def kill_again_and_again(scene: Scene, kills: int, rng: random.Random, seconds: float) -> int:
    """Each daemon lives for a part of the time that the first one needed to finish a program, and half as much again:
    some die while they start, most of them in the middle of their work. As many are killed as are asked for, and more
    until one of them has finished a program. How many were killed."""
    longest = 1.5 * pace(scene)
    until = time.monotonic() + seconds
    killed = 0
    while (killed < kills or one(scene, FINISHED) < LEAST_FINISHED) and time.monotonic() < until:
        daemon = scene.daemon()
        time.sleep(rng.uniform(0.02, longest))
        daemon.send_signal(signal.SIGKILL)
        daemon.communicate()
        killed += 1
    return killed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(arguments.parityd, pathlib.Path(name), replies=400)
        try:
            killed = kill_again_and_again(scene, arguments.kills, random.Random(arguments.seed), arguments.seconds)
            finished = one(scene, FINISHED)
            print(f"{killed} killed, {finished} programs finished by them", flush=True)
            wrong = drain_and_audit(scene)
        finally:
            scene.end()
    if finished < LEAST_FINISHED:
        wrong.append("too little happened for this to be a test")
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
