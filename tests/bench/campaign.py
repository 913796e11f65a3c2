"""A campaign in parts: who writes the programs is compared, arm by arm, and each arm with a fuzzer of the usual form.

    campaign.py --parityd P --folder DIR --replies REPLIES [--seconds 480] [--until SECONDS] [--arms builtin,mutants]

    builtin   the builtin generator alone: no key, no network
    bred      mutants and composed programs alone, without the shipped corpus
    compiled  builtin, and the graphs of every screen are compiled (docs/tiers.md); tiers.py compares the two
    replies   recorded replies alone, each given once by tests/llm_server, as an API would
    mutants   the same replies, with mutants bred from them as the configuration has it
    source    a model that reads the compiler's source: whoever answers the files in DIR/source/letters
              (tests/llm_server/letters.py); repairs and outcomes are asked like anything else
    diff      the same, for what changed since the torch of --previous

Every arm has a database of its own in DIR and gets its seconds, over as many calls as it takes: a call that must end
early (--until) goes on the next time where it was. --usual gives the last of these seconds to usual_fuzzer.py, on the
same programs in the order in which they came, as many processes at once as there were workers.
The last line is an object with a row for each arm. Use of processors and GPU is sampled while the daemon runs.
"""

import argparse
import concurrent.futures
import json
import lzma
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

from campaign_arm import KINDS, Arm, api, lines
from campaign_report import row_of

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE_SECONDS = 2.0
USUAL_DEADLINE = 120.0  # of one process


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
    run(arm, options, "daemon", ["--for", f"{int(seconds)}s"])


def run_drain(arm: Arm, options: argparse.Namespace, seconds: float) -> None:
    run(arm, options, "drain", ["--for", f"{int(seconds)}s", "--provider", "none", "--drain"])


def run(arm: Arm, options: argparse.Namespace, who: str, words: list[str]) -> None:
    ended = threading.Event()
    watcher = threading.Thread(target=watch_use, args=(arm.used, ended))
    watcher.start()
    began = time.monotonic()
    try:
        with api(arm, options.replies) as port, (arm.folder / "log").open("a") as log:
            config = arm.configuration(port, options.price, options.previous)
            command = [options.parityd, "--state", arm.state, "--config", config, "run", *words]
            command += ["--device", options.device, "--workers", str(options.workers)]
            command += ["--python", options.python] if options.python else []
            subprocess.run([str(word) for word in command], stdout=log, stderr=subprocess.STDOUT, check=False)
        arm.add_seconds(who, time.monotonic() - began)
    finally:
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


def keep(arm: Arm, options: argparse.Namespace) -> None:
    options.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / f"{arm.name}.db"
        subprocess.run([options.parityd, "--state", arm.state, "backup", copy], check=True)
        with lzma.open(options.keep / f"{copy.name}.xz", "wb", preset=9) as out:
            out.write(copy.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--python", help="whose torch is tested; default: newest worker built; this one for the other")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--replies", type=pathlib.Path)
    parser.add_argument("--previous", type=pathlib.Path, help="a Python with the torch that `diff` compares with")
    parser.add_argument("--price", type=float, nargs=2, default=(0.25, 2.0), help="of a million tokens in, and out")
    parser.add_argument("--arms", default="builtin,bred,compiled,replies,mutants")
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--drain", type=float, default=0, help="seconds more, at most, to confirm what is suspected")
    parser.add_argument("--usual", type=float, default=60, help="seconds of the other fuzzer, for each arm")
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds this call may take")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for a compressed copy of each arm's database")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    kinds = [KINDS[name] for name in options.arms.split(",")]
    if any(kind.answered == "replies" for kind in kinds) and not options.replies:
        parser.error("arms that are answered by recorded replies need --replies")
    if any(kind.compares for kind in kinds) and not options.previous:
        parser.error("the arm diff needs --previous")
    ends = time.monotonic() + options.until
    arms = [Arm(options.folder, name) for name in options.arms.split(",")]
    for arm in arms:
        parts = (
            ("daemon", run_daemon, options.seconds),
            ("drain", run_drain, options.drain),
            ("usual", run_usual, options.usual),
        )
        for who, part, whole in parts:
            seconds = min(whole - arm.seconds()[who], ends - time.monotonic())
            if seconds >= 1:
                part(arm, options, seconds)
    arms = [arm for arm in arms if (arm.state / "parityd.db").exists()]
    rows = [row_of(arm) for arm in arms]
    for row in rows:
        print(json.dumps(row))
    for arm in arms if options.keep else []:
        keep(arm, options)
    print(json.dumps({"arms": rows}))


if __name__ == "__main__":
    main()
