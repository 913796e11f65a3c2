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

from audit import drain_and_audit
from scene import Scene

LONGEST = 0.6  # seconds that a daemon lives: most of them are in the middle of something then


def kill_again_and_again(scene: Scene, kills: int, rng: random.Random) -> None:
    for _ in range(kills):
        daemon = scene.daemon()
        time.sleep(rng.uniform(0.02, LONGEST))
        daemon.send_signal(signal.SIGKILL)
        daemon.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(arguments.parityd, pathlib.Path(name), replies=400)
        try:
            kill_again_and_again(scene, arguments.kills, random.Random(arguments.seed))
            wrong = drain_and_audit(scene)
        finally:
            scene.end()
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
