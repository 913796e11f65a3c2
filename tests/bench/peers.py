"""parityd beside other fuzzers of torch.compile: the same machine, torch, processes and seconds, one after another, and
what each reports judged twice, by parityd and by independent_confirmation.py.

    python3 tests/bench/peers.py --parityd P --python PY --folder DIR [--nnsmith CHECKOUT] [--torchfuzz FOLDER]
                                 [--arms parityd,nnsmith,torchfuzz] [--seconds 120] [--processes 2] [--device cpu]

    parityd    provider bred: no model, no shipped corpus. Its reports are what its confirmation confirmed, once drained
    nnsmith    `nnsmith.cli.fuzz` of a checkout, whose dependencies are in $PYTHONPATH
    torchfuzz  `fuzzer.py` of PyTorch's tools/experimental/torchfuzz. Its reports are the seeds it calls failures, those
               whose program fails before it is compiled among them. It leaves files in /tmp

Reports become programs, are imported into a database and drained: programs that parityd puts into one finding have one
cause. An arm that has its row already is not run again. The last line is an object with a row for each fuzzer.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from typing import Any

import torchfuzz_program

HERE = pathlib.Path(__file__).resolve().parent
CONFIG = '[known]\nmax_age = "10000d"\n'
SPARE_SECONDS = 60  # for a fuzzer to end by itself
LEARNING_SECONDS = 7200  # NNSmith keeps nothing of what it learnt until it has learnt all
SEEDS = 100_000  # between the first seeds of two of torchfuzz's processes


class Bench:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = options.folder.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "parityd.toml").write_text(CONFIG)

    def parityd(self, state: pathlib.Path, *words: object) -> int:
        command = [self.options.parityd, "--config", self.folder / "parityd.toml", "--state", state, *words]
        with (self.folder / "parityd.log").open("a") as log:
            return subprocess.run(list(map(str, command)), stdout=log, stderr=log, check=False).returncode

    def daemon(self, state: pathlib.Path, *words: object) -> None:
        options = self.options
        common = ("--device", options.device, "--workers", options.processes, "--python", options.python)
        self.parityd(state, "run", *common, *words)

    def beside_each_other(
        self,
        commands: list[list[str]],
        folder: pathlib.Path,
        seconds: float,
        where: pathlib.Path | None = None,
        **environment: str,
    ) -> None:
        """One process each, until it ends or has had its seconds. `where`: instead of a folder of its own."""
        started = []
        quiet = {"OMP_NUM_THREADS": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        for number, command in enumerate(commands):
            own = folder / str(number)
            own.mkdir(parents=True, exist_ok=True)
            caches = {"TORCHINDUCTOR_CACHE_DIR": str(own / "inductor"), "TRITON_CACHE_DIR": str(own / "triton")}
            with (own / "log").open("w") as log:
                started.append(
                    subprocess.Popen(
                        command,
                        cwd=where or own,
                        env={**os.environ, **quiet, **caches, **environment},
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                    )
                )
        ends = time.monotonic() + seconds
        for process in started:
            try:
                process.wait(max(0.0, ends - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def rows(state: pathlib.Path, question: str) -> list[tuple]:
    with contextlib.closing(sqlite3.connect(f"file:{state / 'parityd.db'}?mode=ro", uri=True)) as database:
        return database.execute(question).fetchall()


def parityd(bench: Bench, folder: pathlib.Path, reports: pathlib.Path) -> dict[str, Any]:
    state, began = folder / "state", time.time()
    bench.daemon(state, "--provider", "bred", "--for", f"{bench.options.seconds}s")
    judged, valid = rows(state, "SELECT count(*), sum(valid) FROM programs WHERE verdict != ''")[0]
    drained = time.time()
    bench.daemon(state, "--provider", "none", "--drain")
    drained = time.time() - drained
    found = rows(
        state,
        "SELECT p.id, p.text, f.created_at FROM occurrences o JOIN programs p ON p.id = o.program"
        " JOIN findings f ON f.id = o.finding ORDER BY f.created_at",
    )
    for program, text, _ in found:
        (reports / f"parityd_{program}.py").write_text(text)
    first = found[0][2] / 1000 - began if found else None
    return {"programs": judged, "valid": valid, "first": first, "drain_seconds": round(drained)}


def nnsmith(bench: Bench, folder: pathlib.Path, reports: pathlib.Path) -> dict[str, Any]:
    options = bench.options
    command = [options.python, "-m", "nnsmith.cli.fuzz", "model.type=torch", "backend.type=pt2", "debug.viz=false"]
    command += [f"backend.target={options.device}", "fuzz.root=found", *options.nnsmith_words.split()]
    source = os.pathsep.join([str(options.nnsmith.resolve()), *filter(None, [os.environ.get("PYTHONPATH")])])
    # It tries all operators first, and keeps what it learnt in a file whose name does not say for which torch.
    environment = {"PYTHONPATH": source, "XDG_CACHE_HOME": str(folder / "learnt")}
    bench.beside_each_other([[*command, "fuzz.time=1s"]], folder / "learning", LEARNING_SECONDS, **environment)
    began = time.time()
    seeded = [[*command, f"fuzz.time={options.seconds}s", f"fuzz.seed={k + 1}"] for k in range(options.processes)]
    bench.beside_each_other(seeded, folder, options.seconds + SPARE_SECONDS, **environment)
    logs = folder.glob("[0-9]*/outputs/**/*.log")
    programs = sum(log.read_text(errors="replace").count("Timing:") for log in logs)
    if not programs:
        sys.exit(f"NNSmith generated nothing: see {folder}/*/log")
    found = sorted(folder.glob("[0-9]*/found/bug-*"), key=lambda path: path.stat().st_mtime)
    for number, bug in enumerate(found):
        convert = [options.python, str(HERE / "nnsmith_program.py"), str(bug)]
        done = subprocess.run(
            convert, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode == 0:
            (reports / f"nnsmith_{number}.py").write_text(done.stdout)
    first = found[0].stat().st_mtime - began if found else None
    return {"programs": programs, "valid": programs, "first": first, "reports": len(found)}


def torchfuzz(bench: Bench, folder: pathlib.Path, reports: pathlib.Path) -> dict[str, Any]:
    options, source = bench.options, bench.options.torchfuzz.resolve()
    # A front for each process: one for all would tell of programs in the order of seeds, and of none behind a slow one.
    command = [options.python, "fuzzer.py", "--processes", "1", "--verbose"]
    # A seed starts two processes that import torch: none takes less than a second.
    seeds = [["--start", str(k * SEEDS), "--count", str(options.seconds)] for k in range(options.processes)]
    path = [str(source.parent), str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1"}
    if options.device == "cpu":
        environment["TORCHFUZZ_DEVICE_MODULE"] = "torchfuzz_cpu"
    commands = [[*command, *words, *options.torchfuzz_words.split()] for words in seeds]
    bench.beside_each_other(commands, folder, options.seconds, source, **environment)
    every = [each for log in folder.glob("[0-9]*/log") for each in told_by(log.read_text(errors="replace"))]
    if not every:
        sys.exit(f"torchfuzz tells of no seed: see {folder}/*/log")
    failed = [each for each in every if each["how"] == "FAILURE"]
    not_converted = []
    for each in failed:
        try:
            program = torchfuzz_program.converted(each["program"])
            (reports / f"torchfuzz_{each['seed']}.py").write_text(program)
        except ValueError as error:
            not_converted.append(f"seed {each['seed']}: {error}")
    return {
        "programs": len(every),
        "valid": sum(each["valid"] for each in every),
        "first": min((each["at"] for each in failed), default=None),
        "reports": len(failed),
        "not_converted": not_converted,
    }


def told_by(log: str) -> list[dict[str, Any]]:
    """What torchfuzz said of each seed. A seed's output is indented by three blanks; a progress bar is among its lines.

    The time of a report is the sum of its own durations: without the start of the front, which imports torch once.
    """
    seeds: list[dict[str, Any]] = []
    at = 0.0
    for part in re.split(r"^\W+(?=(?:SUCCESS|FAILURE|IGNORED) - Seed \d+ \(duration)", log, flags=re.MULTILINE)[1:]:
        head, *lines = part.splitlines()
        how, seed, duration = re.match(r"(\w+) - Seed (\d+) \(duration: ([\d.]+)s\)", head).groups()
        at += float(duration)
        text = "\n".join(line[3:] for line in lines if line.startswith("   ") and line.strip())
        program = re.search(r"^=== Program Source ===\n(.*?)^={10,}$", text, re.DOTALL | re.MULTILINE)
        valid = how == "SUCCESS" or bool(re.search(r"^\W*eager\b.*success", text, re.IGNORECASE | re.MULTILINE))
        seeds.append(
            {"how": how, "seed": int(seed), "at": at, "valid": valid, "program": program[1] if program else ""}
        )
    return seeds


def judged(bench: Bench, row: dict[str, Any], reports: pathlib.Path) -> dict[str, Any]:
    """What became of the reports, by parityd's confirmation and by another that shares no code with it."""
    options, files = bench.options, sorted(reports.glob("*.py"))
    state = reports.parent / "judged"
    queued = [file.name for file in files if bench.parityd(state, "import", file) == 0]
    causes: list[tuple] = []
    verdicts: dict[str, str] = {}
    if queued:
        bench.daemon(state, "--provider", "none", "--drain")
        verdicts = dict(rows(state, "SELECT source, verdict FROM programs WHERE origin = 'import'"))
        causes = rows(state, "SELECT title FROM v_findings")
    with concurrent.futures.ThreadPoolExecutor(options.processes) as several:
        confirmation = list(several.map(lambda file: independent(options, file), files))
    return {
        **row,
        "programs_a_second": round(row["programs"] / options.seconds, 2),
        "first": None if row["first"] is None else round(row["first"]),
        "reports": row.get("reports", len(files)),
        "not_judged": row.get("reports", len(files)) - len(queued),
        "true_causes": len(causes),
        "denied": sum(verdict != "inconsistent" for verdict in verdicts.values()),
        "denied_independently": sum(line.startswith("agrees") for line in confirmation),
        "independently_untold": sum(line.startswith("cannot tell") for line in confirmation),
        "titles": [title for (title,) in causes],
    }


def independent(options: argparse.Namespace, file: pathlib.Path) -> str:
    command = [options.python, str(HERE / "independent_confirmation.py"), options.device, str(file)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


ARMS = {"parityd": parityd, "nnsmith": nnsmith, "torchfuzz": torchfuzz}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parityd", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--nnsmith", type=pathlib.Path)
    parser.add_argument("--nnsmith-words", default="", help="more of its settings, such as mgen.exclude=[core.Reshape]")
    parser.add_argument("--torchfuzz", type=pathlib.Path, help="a folder of this name with fuzzer.py")
    parser.add_argument("--torchfuzz-words", default="", help="more words for fuzzer.py, such as --template=unbacked")
    parser.add_argument("--arms", default=",".join(ARMS), help="those whose folder is not named are left out")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    options = parser.parse_args()
    if options.torchfuzz and not options.torchfuzz.resolve().match("torchfuzz"):
        parser.error("--torchfuzz: it imports itself by this name, so its folder must have it")
    options.parityd = options.parityd.resolve()
    options.python = os.path.abspath(options.python)  # what it links to is not the same Python
    if unknown := set(options.arms.split(",")) - set(ARMS):
        parser.error(f"--arms: no {', '.join(sorted(unknown))}; there are {', '.join(ARMS)}")
    bench = Bench(options)
    table = {}
    for name, arm in ((name, ARMS[name]) for name in options.arms.split(",")):
        if name != "parityd" and getattr(options, name) is None:
            continue
        folder = bench.folder / name
        kept, reports = folder / "row.json", folder / "reports"
        if not kept.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a call that was broken off
            reports.mkdir(parents=True)
            kept.write_text(json.dumps(judged(bench, arm(bench, folder, reports), reports)))
        table[name] = json.loads(kept.read_text())
        print(name, json.dumps(table[name]), flush=True)
    print(json.dumps(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
