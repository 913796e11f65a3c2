"""How the daemon fares with hundreds of workers, on a database that is full already.

    many_workers.py --parityd build/release/bin/parityd [--workers 256] [--programs 1000000] [--minutes 5]
                    [--takes 1 10] [--answers 5 30] [--keep 200000] [--filled DIR]
                    [--folder DIR]

A real daemon, fake workers (tests/fake_worker, `pace`) and the stand-in API. A program takes its worker --takes
seconds, a reply --answers, both drawn; of the programs 1.5 % are invalid, 11 % are excused after the control runs, 1 %
become findings. --filled keeps the filled database in DIR for the next call (two minutes and 2 GB for a
million programs).

The fakes need processors too: `machine_busy` says how busy all of them were. Where that is near 1, what waits is the
machine and not the daemon; take fewer workers or longer --takes. After the warm-up (all workers are there, as many
programs as workers have ended) the last line is an object:

    utilisation     share of the warm workers' time that was not idle; `of_all` counts those that confirm, too
    cpu             the daemon's own process, in % of a core; `cpu_a_hundred`: a hundred workers; `cpu_ms_a_program`
    syntax_cpu      the same of its processes that parse, in % of a core
    memory_mib      resident, the largest sample
    commands        seconds of `findings` and `status` beside the work: median, largest, processor time
    written         rows and bytes of the database a program
    ready           seconds from a start after SIGKILL until it has done what was asked of it before
"""

import argparse
import contextlib
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from campaign import processor_times
from million_rows import fill

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent" / "daemon" / "scenes"))
from scene import ROOT, Scene, wait_for
from soak_test import children_of, status_of

REPLY = """Here is one.

```python
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.scale = torch.nn.Parameter(torch.ones(8))

    def forward(self, x, y):
        a = self.linear(x) + @number@
        b = torch.relu(a) * self.scale
        c = F.layer_norm(b, (8,))
        d = torch.cat([c, y], dim=1)
        e = d.transpose(0, 1).contiguous()
        f = torch.softmax(e, dim=0)
        g = f.sum(dim=1, keepdim=True)
        return torch.where(f > 0.5, g, f - g), d.amax(dim=0)


def get_inputs():
    return [torch.randn(4, 8), torch.randn(4, 8)]
```
"""
CONFIG = """
[run]
provider = "standin"

[executor]
python = "{python}"
device = "cpu"
workers = {workers}
launch = ["{root}/tests/fake_worker/launch"]

[budget]
dollars_per_day = 0

[store]
disk_floor = 0

[retention]
max_programs = {keep}

[provider.standin]
kind = "chat"
base_url = "http://127.0.0.1:{port}/v1"
model = "stand-in"
max_in_flight = {requests}
price = {{ input = 0.1, output = 0.5 }}
"""
TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 600  # until all workers are there, on a machine that is busy with starting them
COMMANDS_EVERY = 10.0
WARM = ("eager", "compile", "compare", "reset", "canary", "idle")
TABLES = ("programs", "examinations", "measurements", "measured_leaves", "replies", "findings")


class Crowd(Scene):
    """Workers of real latencies, an API of real latencies, and a database that somebody may have filled before."""

    def __init__(self, options: argparse.Namespace, folder: pathlib.Path) -> None:
        self.options = options
        super().__init__(options.parityd, folder, replies=1, server=("--takes", *map(str, options.answers)))
        self.module.mkdir(parents=True)
        (self.module / "start").write_text("pace {} {}".format(*options.takes))

    def write_replies(self, folder: pathlib.Path, count: int) -> None:
        (folder / "reply.md").write_text(REPLY)

    def write_config(self, folder: pathlib.Path, port: int, more: str) -> pathlib.Path:
        config = folder / "parityd.toml"
        requests = min(1024, 16 + 4 * self.options.workers)
        config.write_text(
            CONFIG.format(
                python=sys.executable,
                root=ROOT,
                workers=self.options.workers,
                keep=self.options.keep,
                port=port,
                requests=requests,
            )
        )
        return config

    def fill(self) -> None:
        kept = self.options.filled
        if kept and (kept / "parityd.db").exists():
            shutil.copytree(kept, self.folder / "state")
            return
        fill(self, self.options.programs, torch="0.0.fake")  # the workers'
        if kept:
            shutil.copytree(self.folder / "state", kept)

    def rows(self, question: str) -> list[tuple]:
        with contextlib.closing(self.database()) as database:
            return database.execute(question).fetchall()

    def one(self, question: str) -> int:
        return self.rows(question)[0][0]

    def finished(self) -> int:
        return self.one("SELECT coalesce(sum(programs), 0) FROM v_verdicts")


def seconds_used(process: int) -> float:
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def parsers_of(daemon: int) -> list[int]:
    """With all below them: the launcher stays in front of each."""
    found = []
    waiting = [child for child in children_of(daemon) if b"--syntax" in command_of(child)]
    while waiting:
        found.append(waiting.pop())
        waiting += children_of(found[-1])
    return found


def command_of(process: int) -> bytes:
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


class Moment:
    """All counters at once; what happened between two of them is their difference."""

    def __init__(self, crowd: Crowd, daemon: int) -> None:
        self.time = time.monotonic()
        self.cpu = seconds_used(daemon)
        self.syntax = sum(map(seconds_used, parsers_of(daemon)))
        self.busy, self.all = processor_times()
        self.workers = dict(crowd.rows("SELECT occupation, sum(seconds) FROM worker_seconds GROUP BY occupation"))
        self.verdicts = dict(crowd.rows("SELECT verdict, sum(programs) FROM v_verdicts GROUP BY verdict"))
        self.table = {name: crowd.one(f"SELECT coalesce(max(rowid), 0) FROM {name}") for name in TABLES}
        self.bytes = crowd.one("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")


class Commands:
    """`findings` and `status` beside the work, as a person and a script would ask."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {"findings": [], "status": []}
        self.used: dict[str, list[float]] = {"findings": [], "status": []}

    def ask(self, crowd: Crowd) -> None:
        for word in self.times:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            began = time.monotonic()
            crowd.run(word)
            self.times[word].append(time.monotonic() - began)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.used[word].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def figures(self) -> dict[str, dict[str, float]]:
        return {
            word: {
                "median": round(statistics.median(times), 3),
                "largest": round(max(times), 3),
                "processor": round(statistics.median(self.used[word]), 3),
            }
            for word, times in self.times.items()
        }


def resident(daemon: int) -> int:
    return int(status_of(daemon)["VmRSS"].split()[0])


def warm_up(crowd: Crowd, daemon: subprocess.Popen) -> None:
    def there() -> bool:
        assert daemon.poll() is None, (crowd.folder / "output").read_text()[-2000:]
        return sum(group["ready"] + group["busy"] for group in crowd.groups()) >= crowd.options.workers

    wait_for("all workers", there, START_SECONDS)
    before = crowd.finished()
    wait_for("the first programs", lambda: crowd.finished() >= before + crowd.options.workers, START_SECONDS)


def work(crowd: Crowd, daemon: subprocess.Popen) -> dict:
    warm_up(crowd, daemon)
    began, commands = Moment(crowd, daemon.pid), Commands()
    memory, wal, asked = [], [], 0.0
    while time.monotonic() < began.time + crowd.options.minutes * 60 or not memory:
        memory.append(resident(daemon.pid))
        wal.append((crowd.folder / "state" / "parityd.db-wal").stat().st_size)
        if time.monotonic() > asked + COMMANDS_EVERY:
            commands.ask(crowd)
            asked = time.monotonic()
        time.sleep(1)
    ended = Moment(crowd, daemon.pid)
    return {
        **between(began, ended, crowd.options.workers),
        "memory_mib": round(max(memory) / 1024, 1),
        "wal_mib": round(max(wal) / (1 << 20), 1),
        "commands": commands.figures(),
    }


def between(began: Moment, ended: Moment, workers: int) -> dict:
    seconds = ended.time - began.time
    spent = {name: ended.workers[name] - began.workers.get(name, 0) for name in ended.workers}
    warm = sum(spent.get(name, 0) for name in WARM)
    verdicts = {str(name): number - began.verdicts.get(name, 0) for name, number in ended.verdicts.items()}
    programs = sum(number for name, number in verdicts.items() if name != "None")
    cpu, each = ended.cpu - began.cpu, max(1, programs)
    return {
        "workers": workers,
        "seconds": round(seconds, 1),
        "utilisation": round(1 - spent.get("idle", 0) / max(warm, 0.001), 4),
        "of_all": round(1 - spent.get("idle", 0) / max(sum(spent.values()), 0.001), 4),
        "worker_seconds": {name: round(value, 1) for name, value in sorted(spent.items())},
        "programs": programs,
        "per_second": round(programs / seconds, 2),
        "verdicts": verdicts,
        "findings": ended.table["findings"] - began.table["findings"],
        "cpu": round(100 * cpu / seconds, 2),
        "cpu_a_hundred": round(100 * cpu / seconds * 100 / workers, 2),
        "cpu_ms_a_program": round(1000 * cpu / each, 2),
        "syntax_cpu": round(100 * (ended.syntax - began.syntax) / seconds, 2),
        "machine_busy": round((ended.busy - began.busy) / max(1, ended.all - began.all), 3),
        "written": {
            "bytes": round((ended.bytes - began.bytes) / each),
            **{name: round((ended.table[name] - began.table[name]) / each, 2) for name in TABLES},
        },
    }


def start(crowd: Crowd) -> subprocess.Popen:
    with (crowd.folder / "output").open("a") as output:
        return crowd.daemon(stdout=output)


def ready_again(crowd: Crowd, daemon: subprocess.Popen) -> tuple[subprocess.Popen, float]:
    """After SIGKILL; what was asked of nobody is done in the first turn."""
    daemon.kill()
    daemon.wait()
    crowd.queue("sleep 0.1")
    began = time.monotonic()
    daemon = start(crowd)
    wait_for("the first turn", lambda: crowd.one("SELECT count(*) FROM requests WHERE result IS NULL") == 0)
    return daemon, time.monotonic() - began


def measure(crowd: Crowd) -> dict:
    crowd.fill()
    daemon = start(crowd)
    try:
        figures = work(crowd, daemon)
        daemon, seconds = ready_again(crowd, daemon)
        return {**figures, "ready": round(seconds, 3)}
    finally:
        daemon.terminate()
        daemon.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--workers", type=int, default=256)
    parser.add_argument("--programs", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--takes", type=float, nargs=2, default=(1, 10), metavar=("LOW", "HIGH"))
    parser.add_argument("--answers", type=float, nargs=2, default=(5, 30), metavar=("LOW", "HIGH"))
    parser.add_argument("--keep", type=int, default=200_000, help="[retention] max_programs")
    parser.add_argument("--filled", type=pathlib.Path, help="where the filled database is kept between calls")
    parser.add_argument("--folder", type=pathlib.Path, help="where all is made; default: the temporary folder")
    options = parser.parse_args()
    # The workers of a daemon that was killed may still be on their way out of it.
    with tempfile.TemporaryDirectory(dir=options.folder, ignore_cleanup_errors=True) as name:
        crowd = Crowd(options, pathlib.Path(name))
        try:
            print(json.dumps(measure(crowd)))
        finally:
            crowd.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
