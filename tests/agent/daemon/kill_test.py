"""kill -9 at random times: nothing answered is lost, nothing is counted twice.

The daemon (real binary, real SQLite, fake worker, stand-in API over HTTP) is killed again and again; the journal that
the stand-in keeps says which replies were really sent. Prints its seed; `--seed N` repeats the kill times.
"""

import argparse
import pathlib
import random
import signal
import sqlite3
import sys
import tempfile
import time

from scene import Scene


def kill_again_and_again(scene: Scene, kills: int, rng: random.Random) -> None:
    for _ in range(kills):
        daemon = scene.daemon()
        time.sleep(rng.uniform(0.05, 0.9))
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()


def one(database: sqlite3.Connection, query: str) -> int:
    return database.execute(query).fetchone()[0]


def audit(scene: Scene) -> list[str]:
    """What must hold once the daemon has drained; one sentence for each thing that does not."""
    database = scene.database()
    wrong = []

    def must_be_zero(what: str, query: str) -> None:
        if count := one(database, query):
            wrong.append(f"{count} {what}")

    must_be_zero("damaged pages", "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'")
    must_be_zero("replies left reserved", "SELECT count(*) FROM replies WHERE state = 'reserved'")
    must_be_zero("answers never taken in", "SELECT count(*) FROM replies WHERE state = 'answered' AND processed = 0")
    must_be_zero("programs not finished", "SELECT count(*) FROM programs WHERE state != 'finished'")
    must_be_zero("identities twice", "SELECT count(*) - count(DISTINCT identity) FROM programs")
    must_be_zero("programs without a verdict", "SELECT count(*) FROM programs WHERE verdict IS NULL")
    must_be_zero("harness failures", "SELECT count(*) FROM harness_failures")
    must_be_zero("signatures twice", "SELECT count(*) - count(DISTINCT signature_hash) FROM findings")
    must_be_zero(
        "inconsistent programs that are not exactly one occurrence",
        "SELECT count(*) FROM programs p WHERE verdict = 'inconsistent' AND "
        "(SELECT count(*) FROM occurrences o WHERE o.program = p.id) != 1",
    )
    must_be_zero(
        "confirmed findings that were not tried with ordinary inputs",
        "SELECT count(*) FROM findings WHERE disposition != 'held(flaky)' AND reach != 'ordinary'",
    )
    must_be_zero(
        "findings without a draft", "SELECT count(*) FROM findings WHERE id NOT IN (SELECT finding FROM drafts)"
    )
    answered = one(database, "SELECT count(*) FROM replies WHERE state = 'answered'")
    unknown = one(database, "SELECT count(*) FROM replies WHERE state = 'unknown'")
    sent = len(scene.sent())
    if not answered <= sent <= answered + unknown:
        wrong.append(f"{sent} replies were sent, but {answered} are stored and {unknown} are of unknown outcome")
    free = one(database, "SELECT count(*) FROM replies WHERE state = 'unknown' AND charged_nano_dollars = 0")
    if free:
        wrong.append(f"{free} requests of unknown outcome are not charged")
    programs = one(database, "SELECT count(*) FROM programs")
    findings = one(database, "SELECT count(*) FROM findings")
    print(f"{sent} replies sent, {answered} stored, {unknown} unknown, {programs} programs, {findings} findings")
    if findings == 0 or programs < 10:
        wrong.append("too little happened for this to be a test")
    return wrong


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
            last = scene.daemon("--drain")
            output, _ = last.communicate(timeout=240)
            wrong = audit(scene)
            if last.returncode != 0:
                wrong.append(f"the last run ended with {last.returncode}: {output[-2000:]}")
        finally:
            scene.end()
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
