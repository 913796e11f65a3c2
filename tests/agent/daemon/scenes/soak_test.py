"""The daemon at work for minutes or hours: what it holds must not grow.

A real daemon with fake workers and the stand-in API, which never runs out of programs: good ones, suspects, invalid
ones and some that kill their worker, with API faults and readers of the database between them. Memory, descriptors,
threads, ended children and the write-ahead log are read from /proc and the state folder once a second; after a warm-up
(the first third) none of them may have a trend. `--minutes 60` by hand sees what is too slow for two minutes.
"""

import argparse
import dataclasses
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from scene import PATIENCE, PROGRAM, WRONG, Scene, wait_for
from service_scene import finished, one

# One in twelve is a suspect, one invalid, one no program; one in 48 kills its worker.
DEEDS = ["sleep 0.01"] * 9 + [WRONG, "raise eager ValueError shapes do not fit", ""]
DEADLY = "die SIGSEGV at inductor.compile"
RULES = [
    {"match": "", "every": 60, "times": 1 << 30, "status": 500, "body": "out of order"},
    {"match": "", "every": 83, "times": 1 << 30, "reply": "half an answer", "cut": 40},
]
MORE = "\n[budget]\ndollars_per_day = 0\n"

MEBIBYTE = 1 << 20
# What the fitted line may rise over the whole of the judged time. A longer run judges slower leaks by the same bounds.
# Descriptors: one worker more at the end than at the beginning is no leak.
MOST_GROWTH = {"memory": 2.0 * MEBIBYTE, "descriptors": 12.0, "threads": 1.0}
MOST_WAL = 64 * MEBIBYTE
LEAST_PROGRAMS = 20  # a minute: a machine that is too busy for them gets more time
ZOMBIE_SECONDS = 60  # an ended child that nobody waited for, on a machine however loaded


@dataclasses.dataclass
class Sample:
    seconds: float
    memory: int  # bytes resident
    descriptors: int
    threads: int
    zombies: set[int]
    wal: int  # bytes


def status_of(process: int) -> dict[str, str]:
    try:
        lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def children_of(process: int) -> list[int]:
    children: list[int] = []
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children += map(int, task.read_text().split())
        except OSError:
            continue  # a thread that has ended
    return children


def sample(process: int, state: pathlib.Path, started: float) -> Sample:
    status = status_of(process)
    wal = state / "parityd.db-wal"
    return Sample(
        seconds=time.monotonic() - started,
        memory=int(status["VmRSS"].split()[0]) * 1024,
        descriptors=len(list(pathlib.Path(f"/proc/{process}/fd").iterdir())),
        threads=int(status["Threads"]),
        zombies={child for child in children_of(process) if status_of(child).get("State", "").startswith("Z")},
        wal=wal.stat().st_size if wal.exists() else 0,
    )


def growth(samples: list[Sample], what: str) -> float:
    """How much the fitted line rises from the first to the last. The median of the slopes between early and late
    samples (Theil and Sen): single high values do not turn it."""
    half = len(samples) // 2
    slopes = [
        (getattr(late, what) - getattr(early, what)) / (late.seconds - early.seconds)
        for early, late in zip(samples[:half], samples[-half:], strict=True)
    ]
    return statistics.median(slopes) * (samples[-1].seconds - samples[0].seconds)


def longest_zombie(samples: list[Sample]) -> float:
    first_seen: dict[int, float] = {}
    longest = 0.0
    for each in samples:
        first_seen = {child: first_seen.get(child, each.seconds) for child in each.zombies}
        longest = max([longest, *(each.seconds - since for since in first_seen.values())])
    return longest


def judged(samples: list[Sample], judge_memory: bool) -> list[str]:
    wrong = []
    steady = [one for one in samples if one.seconds > samples[-1].seconds / 3]
    for what, most in MOST_GROWTH.items():
        grown = growth(steady, what)
        values = [getattr(one, what) for one in steady]
        print(f"{what}: {min(values)} to {max(values)}, trend {grown:+.1f} of at most {most:+.1f}")
        if grown > most and (judge_memory or what != "memory"):
            wrong.append(f"{what} grew by {grown:.1f} in {steady[-1].seconds - steady[0].seconds:.0f} s: {values}")
    wal = max(one.wal for one in samples)
    zombie = longest_zombie(samples)
    print(f"write-ahead log: at most {wal} bytes; longest unawaited child: {zombie:.0f} s")
    if wal > MOST_WAL:
        wrong.append(f"the write-ahead log grew to {wal} bytes")
    if zombie > ZOMBIE_SECONDS:
        wrong.append(f"an ended child was not waited for in {zombie:.0f} s")
    return wrong


class EndlessScene(Scene):
    def write_replies(self, folder: pathlib.Path, count: int) -> None:
        for number in range(count):
            deed = DEADLY if number == 0 else DEEDS[number % len(DEEDS)]
            text = PROGRAM.format(deed=deed, number="@number@")
            (folder / f"{number:03}.md").write_text(f"```python\n{text}```\n" if deed else "I would rather not.\n")


def watch(scene: Scene, daemon: subprocess.Popen, seconds: float) -> list[Sample]:
    started = time.monotonic()
    samples: list[Sample] = []
    while time.monotonic() < started + seconds or finished(scene) < LEAST_PROGRAMS * seconds / 60:
        assert daemon.poll() is None, f"the daemon ended by itself: {(scene.folder / 'output').read_text()[-2000:]}"
        samples.append(sample(daemon.pid, scene.folder / "state", started))
        if len(samples) % 10 == 0:  # readers, as people and scripts are
            scene.run("status", "--json")
            scene.run("findings", "--json")
        time.sleep(1)
    return samples


def run(scene: Scene) -> subprocess.Popen:
    command = [scene.parityd, "--state", str(scene.folder / "state"), "--config", str(scene.config), "run"]
    with (scene.folder / "output").open("w") as output:  # a pipe that nobody reads would fill up
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=scene.environment)


def soak(scene: Scene, minutes: float, judge_memory: bool) -> list[str]:
    daemon = run(scene)
    try:
        wait_for("a finding", lambda: one(scene, "SELECT count(*) FROM findings"))
        samples = watch(scene, daemon, minutes * 60)
        daemon.send_signal(signal.SIGTERM)
        status = daemon.wait(timeout=PATIENCE)
    finally:
        daemon.kill()
        daemon.wait()
    wrong = judged(samples, judge_memory)
    print(f"{finished(scene)} programs in {samples[-1].seconds / 60:.1f} minutes, {len(samples)} samples")
    if status != 0:
        wrong.append(f"the daemon ended with {status}: {(scene.folder / 'output').read_text()[-4000:]}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--sanitized", action="store_true", help="memory is not judged: what is freed is kept a while")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scene = EndlessScene(arguments.parityd, pathlib.Path(name), replies=4 * len(DEEDS), more=MORE, rules=RULES)
        try:
            wrong = soak(scene, arguments.minutes, judge_memory=not arguments.sanitized)
        finally:
            scene.end()
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
