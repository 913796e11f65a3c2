"""What daemon tests share: a real daemon with a real SQLite file, fake workers and a stand-in API over HTTP."""

import argparse
import atexit
import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[4]
_KEYS = {row.get("key") for row in json.loads((ROOT / "executor/shared/modes.json").read_text())} - {None, "inductor"}
ONE_MODE = "\n".join(f"{key} = 0" for key in sorted(_KEYS | {"backward", "dynamic", "fullgraph"}))  # no other is drawn
# A deed: compiled gives another value than eager, in double too.
WRONG = "value eager=1.0 inductor=2.0 reference=1.0 inductor_fp64=2.0 inductor_precise=2.0 aot_eager=1.0"
PROGRAM = """# fake: {deed}
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + {number}


def get_inputs():
    return [torch.ones(3)]
"""


PATIENCE = 300  # seconds: what a loaded machine may need; a condition that holds ends the wait


def wait_for(what: str, condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.05)


def write_replies(folder: pathlib.Path, count: int) -> None:
    """Every fourth program is a suspect that is confirmed, every fifth raises and is sent back for repair."""
    for number in range(count):
        deed = "sleep 0.02"
        if number % 4 == 1:
            deed = WRONG
        elif number % 5 == 2:
            deed = f"raise eager ValueError shapes {number} do not fit\n# fake: raise inductor ValueError shapes"
        text = PROGRAM.format(deed=deed, number=number)
        (folder / f"{number:03}.md").write_text(f"```python\n{text}```\n")


def write_config(folder: pathlib.Path, port: int, more: str) -> pathlib.Path:
    config = folder / "parityd.toml"
    config.write_text(f"""
[run]
provider = "standin"
mutant_share = 0

[executor]
python = "{sys.executable}"
device = "cpu"
workers = 2
threads_share = 0
own_random_share = 0
launch = ["{ROOT}/tests/fake_worker/launch"]

[modes]
{ONE_MODE}

[store]
disk_floor = 0

[known]
max_age = "36500d"

[provider.standin]
kind = "chat"
base_url = "http://127.0.0.1:{port}/v1"
model = "stand-in"
max_in_flight = 4
price = {{ input = 0.1, output = 0.5 }}
{more}""")
    return config


def with_groups(config: str, groups: dict[str, dict[str, object]]) -> str:
    """`config` with groups of workers, by name, in place of what it says of the one it has."""
    own = ("device =", "workers =", "launch =")
    kept = [line for line in config.splitlines() if not line.startswith(own)]
    for name, values in groups.items():
        kept.append(f'[[executor.group]]\nname = "{name}"')
        kept += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join(kept) + "\n"


class Scene:
    """`more` is added to the provider's table; with a `key` the API refuses requests without it; `rules` are the
    API's script, `server` further options of it."""

    def __init__(
        self,
        parityd: str,
        folder: pathlib.Path,
        replies: int,
        more: str = "",
        key: str = "",
        rules: list | None = None,
        server: tuple[str, ...] = (),
    ) -> None:
        self.folder, self.parityd, self.imported = folder, parityd, 0
        (folder / "replies").mkdir()
        self.write_replies(folder / "replies", replies)
        self.journal = folder / "journal.jsonl"
        command = [sys.executable, str(ROOT / "tests/llm_server/server.py"), "--port", "0"]
        command += ["--replies", str(folder / "replies"), "--journal", str(self.journal)]
        command += ["--key", key] if key else []
        command += server
        if rules:
            (folder / "script.json").write_text(json.dumps(rules))
            command += ["--script", str(folder / "script.json")]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        atexit.register(self.server.kill)  # it would keep the test's own output open
        port = int(self.server.stdout.readline().split()[-1])
        self.config = self.write_config(folder, port, more)
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"))

    def write_replies(self, folder: pathlib.Path, count: int) -> None:
        """What the API answers; before it starts."""
        write_replies(folder, count)

    def write_config(self, folder: pathlib.Path, port: int, more: str) -> pathlib.Path:
        return write_config(folder, port, more)

    def daemon(self, *options: str, **how: object) -> subprocess.Popen:
        """`how`: arguments of Popen in place of the usual ones."""
        command = [self.parityd, "--state", str(self.folder / "state"), "--config", str(self.config), "run", *options]
        usual = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "env": self.environment}
        return subprocess.Popen(command, **(usual | how))

    def killed_at(self, passage: str, *options: str, seconds: float = PATIENCE) -> tuple[int, str]:
        """A daemon that is to die at `POINT:N`: its return code, and what it said."""
        self.environment["PARITYD_KILL_AT"] = passage
        daemon = self.daemon(*options)
        del self.environment["PARITYD_KILL_AT"]
        said, _ = daemon.communicate(timeout=seconds)
        return daemon.returncode, said

    def run(self, *words: str, expect: int = 0) -> str:
        command = [self.parityd, "--state", str(self.folder / "state"), "--config", str(self.config), *words]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, check=False)
        assert done.returncode == expect, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    @property
    def module(self) -> pathlib.Path:
        """The folder where fake workers look for what is asked of all of them."""
        return self.folder / "cache" / "parityd" / "workers" / "launched"

    def groups(self) -> list[dict]:
        """Of workers, as the daemon told ten seconds ago at most."""
        with contextlib.closing(self.database()) as database:
            told = database.execute("SELECT value FROM state_values WHERE key = 'workers'").fetchone()
        return json.loads(told[0])["groups"] if told else []

    def queue(self, *deeds: str) -> None:
        """Imports one program of each deed."""
        files = []
        for deed in deeds:
            self.imported += 1
            files.append(self.folder / f"queued{self.imported}.py")
            files[-1].write_text(PROGRAM.format(deed=deed, number=self.imported))
        self.run("import", *map(str, files))

    def judge(self, *deeds: str) -> dict:
        """The summary of a run over one program of each deed, and over what was left."""
        if deeds:
            self.queue(*deeds)
        said = self.run("run", "--provider", "none", "--drain", "--json")
        return json.loads(next(line for line in said.splitlines() if line.startswith("{")))

    def end(self) -> None:
        """The API's end; the daemon's is the test's own."""
        self.server.kill()
        self.server.wait()

    def database(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.folder}/state/parityd.db?mode=ro", uri=True)

    def sent(self) -> list[dict]:
        whole = self.journal.read_text().rpartition("\n")[0]  # a last line may still be written
        return [e for e in map(json.loads, whole.splitlines()) if e["event"] == "sent"]


def main(cases: dict[str, Callable[..., None]], scene: Callable[[str, pathlib.Path], Scene] | None = None) -> None:
    """Runs the case that the command line names: with parityd and a new folder, or with the `scene` made of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--parityd", required=True)
    parser.add_argument("case", choices=cases)
    arguments = parser.parse_args()
    os.umask(0o077)
    with tempfile.TemporaryDirectory() as folder:
        if scene is None:
            cases[arguments.case](arguments.parityd, pathlib.Path(folder))
        else:
            made = scene(arguments.parityd, pathlib.Path(folder))
            try:
                cases[arguments.case](made)
            finally:
                made.end()
    print("ok")
