"""Hostile changes of torch's files (changes/) with real workers, as `parityd verify` tries them: the names that a reply
may not use (agent/fixing/forbidden.h) are used here, so only the sandbox and the checks are left to stop them."""

import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHANGED = "torch/_inductor/compile_fx.py"
KEY = "sk-attacked-0123456789"
# What becomes of each. forged_eager: compiled code gives zeros, the installed eager does not.
EXPECTED = {
    "key": ["does_not_import"],
    "forged_comparison": ["stays"],
    "forged_eager": ["stays"],
    "not_compiled": ["switched_off"],
}
FEW = ("key", "forged_eager")
CONFIG = """
[run]
provider = "attacked"

[executor]
workers = 1

[oracle]
confirmation_rounds = 1

[provider.attacked]
kind = "chat"
base_url = "http://127.0.0.1:9/v1"
model = "none"
api_key_file = "{key}"
"""


def site_packages(python: str) -> pathlib.Path:
    code = "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    told = subprocess.run([python, "-c", code], capture_output=True, check=True, text=True)
    return pathlib.Path(told.stdout.strip()).parent


class Trial:
    """One change and the folder in which it is tried."""

    def __init__(self, arguments: argparse.Namespace, folder: pathlib.Path) -> None:
        self.arguments = arguments
        self.folder = folder
        (folder / "state").mkdir(mode=0o700)
        shutil.copy(ROOT / "store" / "sample.db", folder / "state" / "parityd.db")
        self.key = folder / "key"
        self.key.touch(mode=0o600)
        self.key.write_text(KEY)
        self.config = folder / "parityd.toml"
        self.config.write_text(CONFIG.format(key=self.key))

    def finding(self) -> int:
        with sqlite3.connect(self.folder / "state" / "parityd.db") as database:
            query = "SELECT id FROM findings WHERE title LIKE '[inductor] mul:%' AND disposition = 'ready'"
            ((number,),) = database.execute(query).fetchall()
        return number

    def change(self, name: str) -> pathlib.Path:
        """The installed file, with the attack at its end."""
        given = {
            "key": KEY,
            "secrets": [str(self.key), str(self.config), str(self.folder / "state" / "parityd.db")],
            "outside": [str(self.folder / "state" / "new"), "/usr/lib/parityd-attacked"],
        }
        installed = (site_packages(self.arguments.python) / CHANGED).read_text()
        tail = (HERE / "changes" / f"{name}.py").read_text()
        file = self.folder / "overlay" / CHANGED
        file.parent.mkdir(parents=True)
        file.write_text(f"{installed}\n\nGIVEN = {given!r}\n{tail}")
        return self.folder / "overlay"

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        start = [self.arguments.parityd, "--state", str(self.folder / "state"), "--config", str(self.config)]
        words = ["verify", str(self.finding()), "--overlay", str(self.change(name)), "--programs", "0", "--json"]
        environment = os.environ | {"PARITYD_ATTACKED_KEY": KEY}
        return subprocess.run(
            [*start, *words, "--python", self.arguments.python],
            capture_output=True,
            check=False,
            text=True,
            env=environment,
        )


def attack(arguments: argparse.Namespace, name: str, folder: pathlib.Path) -> list[str]:
    trial = Trial(arguments, folder)
    before = sorted(path.name for path in (folder / "state").iterdir())
    ran = trial.run(name)
    print(name, ran.returncode, ran.stdout[-3000:], ran.stderr[-3000:], sep="\n")
    wrong = []
    if ran.returncode != 1:
        return [f"{name}: exit code {ran.returncode}"]
    report = json.loads(ran.stdout)
    if report["result"] not in EXPECTED[name]:
        wrong.append(f"{name}: {report['result']}")
    if KEY in ran.stdout + ran.stderr:
        wrong.append(f"{name}: the key is told")
    if name == "key" and "found: []" not in ran.stdout:
        wrong.append(f"{name}: it found something, or did not run")
    if trial.key.read_text() != KEY or CONFIG.format(key=trial.key) != trial.config.read_text():
        wrong.append(f"{name}: it wrote to the key or the configuration")
    left = [path.name for path in (folder / "state").iterdir() if not path.name.startswith("parityd.db")]
    if sorted(left) != [name for name in before if not name.startswith("parityd.db")]:
        wrong.append(f"{name}: it left {left}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=("few", "all", *EXPECTED))
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--python", required=True)
    arguments = parser.parse_args()
    names = {"few": FEW, "all": tuple(EXPECTED)}.get(arguments.which, (arguments.which,))
    wrong = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            wrong += attack(arguments, name, pathlib.Path(folder))
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
