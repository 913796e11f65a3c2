"""A campaign in parts: who writes the programs is compared, arm by arm, and each arm with a fuzzer of the usual form.

    campaign.py --parityd P --folder DIR --replies REPLIES [--seconds 480] [--until SECONDS] [--arms builtin,mutants]

    builtin   the builtin generator alone: no key, no network
    bred      mutants and composed programs alone, without the shipped corpus
    compiled  builtin, and the graphs of every screen are compiled (docs/tiers.md); tiers.py compares the two
    replies   recorded replies alone, each given once by tests/llm_server, as an API would
    mutants   the same replies, with mutants bred from them as the configuration has it

Every arm has a database of its own in DIR and gets its seconds, over as many calls as it takes: a call that must end
early (--until) goes on the next time where it was. --usual gives the last of these seconds to usual_fuzzer.py, on the
same programs in the order in which they came, as many processes at once as there were workers.
The last line is an object with a row for each arm. Use of processors and GPU is sampled while the daemon runs.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
CONFIG = """
[run]
provider = "{provider}"
{share}
{oracle}
[provider.standin]
kind = "chat"
base_url = "http://127.0.0.1:{port}/v1"
model = "recorded"
price = {{ input = 0.1, output = 0.5 }}
max_in_flight = 16
"""
ARMS = {  # who writes, what else there is to [run], and [oracle]
    "builtin": ("builtin", "", ""),
    "bred": ("bred", "", ""),
    "compiled": ("builtin", "", "[oracle]\ncompile_sample = 1"),
    "replies": ("standin", "mutant_share = 0", ""),
    "mutants": ("standin", "", ""),
}
SAMPLE_SECONDS = 2.0
USUAL_DEADLINE = 120.0  # of one process


class Arm:
    """One arm's folder: its database, how long it ran, samples of what was busy, the other fuzzer's reports."""

    def __init__(self, folder: pathlib.Path, name: str) -> None:
        self.name, self.folder = name, folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.state, self.journal = self.folder / "state", self.folder / "journal.jsonl"
        self.used, self.reports = self.folder / "use.jsonl", self.folder / "usual.jsonl"
        self.clock = self.folder / "seconds.json"

    def seconds(self) -> dict[str, float]:
        return {"daemon": 0.0, "usual": 0.0, **(json.loads(self.clock.read_text()) if self.clock.exists() else {})}

    def add_seconds(self, who: str, seconds: float) -> None:
        self.clock.write_text(json.dumps({**self.seconds(), who: self.seconds()[who] + seconds}))

    def rows(self, question: str) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(f"file:{self.state / 'parityd.db'}?mode=ro", uri=True)) as database:
            return database.execute(question).fetchall()


def lines(file: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@contextlib.contextmanager
def api(arm: Arm, replies: pathlib.Path) -> Iterator[int]:
    """The port of a stand-in API that gives each reply once, then asks to come back in an hour."""
    given = {entry["file"] for entry in lines(arm.journal) if entry["event"] == "sent"}
    files = [file.resolve() for file in sorted(replies.rglob("*.md")) if str(file.resolve()) not in given]
    rules: list[dict[str, Any]] = [{"match": "failed in eager mode", "reply": "I cannot mend this.", "times": 10**9}]
    rules += [{"reply_file": str(file)} for file in files]
    rules += [{"status": 429, "headers": {"Retry-After": "3600"}, "body": {"message": "used up"}, "times": 10**9}]
    script = arm.folder / "script.json"
    script.write_text(json.dumps(rules))
    command = [sys.executable, str(HERE.parent / "llm_server" / "server.py"), "--port", "0", "--until-stdin-ends"]
    command += ["--script", str(script), "--journal", str(arm.journal)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield int(server.stdout.readline().split()[-1])
        server.stdin.close()


def processor_times() -> tuple[int, int]:
    """Busy and all, of every processor, in ticks."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def gpu_use() -> dict[str, float]:
    """Of all GPUs: how busy they are on average, and what they hold together."""
    if not shutil.which("nvidia-smi"):
        return {}
    command = ["nvidia-smi", "--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader,nounits"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    rows = [[float(word) for word in line.split(",")] for line in answer]
    return {"gpu": sum(row[0] for row in rows) / len(rows), "gpu_mib": sum(row[1] for row in rows)} if rows else {}


def watch_use(file: pathlib.Path, ended: threading.Event) -> None:
    before = processor_times()
    with file.open("a") as out:
        while not ended.wait(SAMPLE_SECONDS):
            now = processor_times()
            share = 100 * (now[0] - before[0]) / max(1, now[1] - before[1])
            before = now
            print(json.dumps({"processors": round(share, 1), **gpu_use()}), file=out, flush=True)


def run_daemon(arm: Arm, options: argparse.Namespace, seconds: float) -> None:
    provider, share, oracle = ARMS[arm.name]
    ended = threading.Event()
    watcher = threading.Thread(target=watch_use, args=(arm.used, ended))
    watcher.start()
    began = time.monotonic()
    with api(arm, options.replies) as port, (arm.folder / "log").open("a") as log:
        config = arm.folder / "parityd.toml"
        config.write_text(CONFIG.format(provider=provider, share=share, oracle=oracle, port=port))
        command = [options.parityd, "--state", arm.state, "--config", config, "run", "--for", f"{int(seconds)}s"]
        command += ["--device", options.device, "--workers", str(options.workers)]
        command += ["--python", options.python] if options.python else []
        subprocess.run([str(word) for word in command], stdout=log, stderr=subprocess.STDOUT, check=False)
    arm.add_seconds("daemon", time.monotonic() - began)
    ended.set()
    watcher.join()


def judged_usually(options: argparse.Namespace, scratch: pathlib.Path, program: int, text: str) -> dict[str, Any]:
    file = scratch / f"{program}.py"
    file.write_text(text)
    device = options.device if options.device != "auto" else "cuda" if shutil.which("nvidia-smi") else "cpu"
    command = [options.python or sys.executable, str(HERE / "usual_fuzzer.py"), device, str(file)]
    environment = dict(
        os.environ,
        OMP_NUM_THREADS="1",
        TORCHINDUCTOR_COMPILE_THREADS="1",
        TORCHINDUCTOR_CACHE_DIR=str(scratch / f"cache{program}"),
    )
    report = "bug: no answer"
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            said = process.communicate(timeout=USUAL_DEADLINE)[0]
            report = next(
                (line[7:] for line in said.splitlines() if line.startswith("usual: ")), "bug: the process died"
            )
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
    shutil.rmtree(scratch / f"cache{program}", ignore_errors=True)
    return {"program": program, "report": report}


def run_usual(arm: Arm, options: argparse.Namespace, seconds: float) -> None:
    done = {row["program"] for row in lines(arm.reports)}
    programs = arm.rows("SELECT id, text FROM programs WHERE round = 0 ORDER BY id")
    waiting = iter([row for row in programs if row[0] not in done])
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as scratch,
        concurrent.futures.ThreadPoolExecutor(options.workers) as pool,
        arm.reports.open("a") as out,
    ):
        running: set[concurrent.futures.Future] = set()
        while True:
            while len(running) < options.workers and time.monotonic() - began < seconds:
                row = next(waiting, None)
                if row is None:
                    break
                running.add(pool.submit(judged_usually, options, pathlib.Path(scratch), *row))
            if not running:
                break
            ended, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for each in ended:
                print(json.dumps(each.result()), file=out, flush=True)
    arm.add_seconds("usual", time.monotonic() - began)


def mean(samples: list[dict[str, float]], name: str) -> float | None:
    values = [sample[name] for sample in samples if name in sample]
    return round(sum(values) / len(values), 1) if values else None


def usual_against_ours(arm: Arm) -> dict[str, Any]:
    """What the other one calls a bug, by the verdict that the same program got here."""
    verdicts = dict(arm.rows("SELECT root, coalesce(verdict, state) FROM programs WHERE id = root"))
    reports = lines(arm.reports)
    called = collections.Counter(verdicts[row["program"]] for row in reports if row["report"].startswith("bug"))
    passed = collections.Counter(verdicts[row["program"]] for row in reports if row["report"] == "same")
    seconds = arm.seconds()["usual"]
    return {
        "programs": len(reports),
        "per_second": round(len(reports) / seconds, 2) if seconds else None,
        "bugs_by_our_verdict": dict(called),
        "missed": passed["inconsistent"],
    }


def row_of(arm: Arm) -> dict[str, Any]:
    seconds = arm.seconds()["daemon"]
    ((programs, valid, first, last),) = arm.rows(
        "SELECT count(*), sum(valid), min(finished_at), max(finished_at) FROM programs"
        " WHERE round = 0 AND state <> 'queued' AND finished_at > 0"
    )
    findings = arm.rows(
        "SELECT f.kind, f.disposition, f.occurrences,"
        " (SELECT coalesce(max(confident), 0) FROM known_matches WHERE finding = f.id)"
        " FROM findings f WHERE f.merged_into IS NULL"
    )
    samples = lines(arm.used)
    return {
        "arm": arm.name,
        "seconds": round(seconds),
        "programs": programs,
        "per_second": round(1000 * programs / max(1, (last or 1) - (first or 0)), 2),
        "valid": valid,
        "features": arm.rows("SELECT count(*) FROM features WHERE first_program IS NOT NULL")[0][0],
        "suspects": arm.rows("SELECT count(*) FROM programs WHERE suspect = 1")[0][0],
        "ready": dict(collections.Counter(kind for kind, what, _, _ in findings if what == "ready")),
        "others": dict(collections.Counter(kind for kind, what, _, _ in findings if what != "ready")),
        "unknown": sum(1 for *_, known in findings if known == 0),
        "folded": sum(seen - 1 for _, _, seen, _ in findings),
        "processors": mean(samples, "processors"),
        "gpu": mean(samples, "gpu"),
        "usual": usual_against_ours(arm),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--python", help="whose torch is tested; default: newest worker built; this one for the other")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--replies", type=pathlib.Path, required=True)
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--usual", type=float, default=60, help="seconds of the other fuzzer, for each arm")
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds this call may take")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    ends = time.monotonic() + options.until
    arms = [Arm(options.folder, name) for name in options.arms.split(",")]
    for arm in arms:
        for who, run, whole in (("daemon", run_daemon, options.seconds), ("usual", run_usual, options.usual)):
            seconds = min(whole - arm.seconds()[who], ends - time.monotonic())
            if seconds >= 1:
                run(arm, options, seconds)
    rows = [row_of(arm) for arm in arms if (arm.state / "parityd.db").exists()]
    for row in rows:
        print(json.dumps(row))
    print(json.dumps({"arms": rows}))


if __name__ == "__main__":
    main()
