"""parityd beside other fuzzers of torch.compile: the same machine, torch, processes and seconds, one after another, and
what each reports judged twice, by parityd and by independent_gate.py.

    python3 tests/bench/peers.py --parityd P --python PY --folder DIR [--nnsmith CHECKOUT]
                                 [--seconds 120] [--processes 2] [--device cpu]

    parityd  provider bred: no model, no shipped corpus. Its reports are what its gate confirmed, once drained
    nnsmith  `nnsmith.cli.fuzz` of a checkout, whose dependencies are in $PYTHONPATH

Reports become programs, are imported into a database and drained: programs that parityd puts into one finding have one
cause. An arm that has its row already is not run again. The last line is an object with a row for each fuzzer.
"""

import argparse
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
import time
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
CONFIG = '[known]\nmax_age = "10000d"\n'
SPARE_SECONDS = 60  # for a fuzzer to end by itself
LEARNING_SECONDS = 1800


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
        self, commands: list[list[str]], folder: pathlib.Path, seconds: float, **environment: str
    ) -> None:
        """One process each, until it ends or has had its seconds and some more."""
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
                        cwd=own,
                        env={**os.environ, **quiet, **caches, **environment},
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                    )
                )
        ends = time.monotonic() + seconds + SPARE_SECONDS
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
    # It tries all operators first, and keeps what it learnt for the next run.
    bench.beside_each_other([[*command, "fuzz.time=1s"]], folder / "learning", LEARNING_SECONDS, PYTHONPATH=source)
    began = time.time()
    seeded = [[*command, f"fuzz.time={options.seconds}s", f"fuzz.seed={k + 1}"] for k in range(options.processes)]
    bench.beside_each_other(seeded, folder, options.seconds, PYTHONPATH=source)
    logs = folder.glob("[0-9]*/outputs/**/*.log")
    programs = sum(log.read_text(errors="replace").count("Timing:") for log in logs)
    found = sorted(folder.glob("[0-9]*/found/bug-*"), key=lambda path: path.stat().st_mtime)
    for number, bug in enumerate(found):
        convert = [options.python, str(HERE / "nnsmith_program.py"), str(bug)]
        environment = {**os.environ, "PYTHONPATH": source}
        done = subprocess.run(convert, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0:
            (reports / f"nnsmith_{number}.py").write_text(done.stdout)
    first = found[0].stat().st_mtime - began if found else None
    return {"programs": programs, "valid": programs, "first": first, "reports": len(found)}


def judged(bench: Bench, row: dict[str, Any], reports: pathlib.Path) -> dict[str, Any]:
    """What became of the reports, by parityd's gate and by another that shares no code with it."""
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
        gate = list(several.map(lambda file: independent(options, file), files))
    return {
        **row,
        "programs_a_second": round(row["programs"] / options.seconds, 2),
        "first": None if row["first"] is None else round(row["first"]),
        "reports": row.get("reports", len(files)),
        "not_judged": row.get("reports", len(files)) - len(queued),
        "true_causes": len(causes),
        "denied": sum(verdict != "inconsistent" for verdict in verdicts.values()),
        "denied_independently": sum(line.startswith("agrees") for line in gate),
        "independently_untold": sum(line.startswith("cannot tell") for line in gate),
        "titles": [title for (title,) in causes],
    }


def independent(options: argparse.Namespace, file: pathlib.Path) -> str:
    command = [options.python, str(HERE / "independent_gate.py"), options.device, str(file)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


ARMS = {"parityd": parityd, "nnsmith": nnsmith}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parityd", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--nnsmith", type=pathlib.Path)
    parser.add_argument("--nnsmith-words", default="", help="more of its settings, such as mgen.exclude=[core.Reshape]")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    options = parser.parse_args()
    options.parityd = options.parityd.resolve()
    options.python = os.path.abspath(options.python)  # what it links to is not the same Python
    bench = Bench(options)
    table = {}
    for name, arm in ARMS.items():
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
