"""Every command that a page shows is known, and those that say of nothing that they need it run here: a small database,
fake workers, no torch, no network. The database is made once, each page has a copy."""

import argparse
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent/daemon/scenes"))

import pages
from scene import PROGRAM, ROOT, WRONG, Scene

SUMS = f"{WRONG}\n# fake: operators aten.sin.default,aten.sum.default"
FILES = {"my_model.py": "sleep 0.01", "program.py": "sleep 0.01"}
# Not ours: as root, of the system, or a build's own. They are not run.
OTHERS = {"apt-get", "cd", "cmake", "ctest", "curl", "do", "docker", "done", "export", "for", "git", "install", "kill"}
OTHERS |= {"cat", "cpack", "podman", "salloc", "sbatch", "source", "ssh", "systemctl", "timeout", "useradd"}
LAUNCHERS = {"srun", "ssh", "sudo", "env", "exec"}
BESIDE = {"parityd", "cat"}  # what runs here


def prepare(parityd: str, folder: pathlib.Path) -> None:
    """A state folder whose database has three findings, the scene's configuration, and files for the commands."""
    scene = Scene(parityd, folder, replies=0)
    other = f"{WRONG}\n# fake: operators aten.cos.default"
    scene.judge(SUMS)  # program 1 makes finding 1; side by side with others it might be another one
    scene.judge(SUMS, SUMS)
    scene.judge(other, "raise inductor RuntimeError no such kernel", "sleep 0.01")
    scene.end()
    found = json.loads(scene.run("findings", "--json"))
    assert len(found) == 3, [finding["signature"] for finding in found]
    (folder / "parityd").mkdir()
    shutil.copy(scene.config, folder / "parityd/parityd.toml")
    (folder / "backups").mkdir()
    for name, deed in FILES.items():
        (folder / name).write_text(PROGRAM.format(deed=deed, number=99))
    lines = [{"format": "parityd", "version": 1}, {"program": PROGRAM.format(deed="sleep 0.01", number=98)}]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


class Place:
    """What `parityd` is for each command of a page: run in `folder`, on what was prepared there."""

    def __init__(self, parityd: str, folder: pathlib.Path) -> None:
        self.folder, self.database = folder, folder / "state/parityd.db"
        tools = f"{pathlib.Path(parityd).resolve().parent}:{pathlib.Path(sys.executable).parent}:/usr/bin:/bin"
        self.environment = dict(os.environ, PATH=tools, HOME=str(folder), STATE_DIRECTORY=str(folder / "state"))
        self.environment |= {"XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "PAGER": "cat"}

    def run(self, command: pages.Command) -> None:
        done = subprocess.run(
            ["sh", "-c", command.text],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        said = (done.stdout + done.stderr)[-1500:]
        assert done.returncode == command.exit_code, f"{command}\nends with {done.returncode}:\n{said}"


def in_help(program: str, words: list[str], where: pages.Command) -> None:
    """The subcommand and each of its options are in the help of a program of ours."""
    rest = [word for word in words if word.startswith("-")]
    subcommands = [word for word in words if re.match(r"^[a-z][a-z-]*$", word)]
    asked: list[str] = []
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    for word in subcommands:
        if not re.search(rf"^  {re.escape(word)}\b", text, re.MULTILINE):
            break
        asked.append(word)
        text = subprocess.run([program, *asked, "--help"], capture_output=True, text=True, check=True).stdout
    assert asked or words[:1] == rest[:1] != [], f"{where}: {program} knows no such command"
    general = ("--help", "--state", "--config", "--version")
    for option in (word.partition("=")[0] for word in rest):
        assert option in general or re.search(rf"(^|[\s,]){re.escape(option)}\b", text), f"{where}: no option {option}"


def known(parityd: str, words: list[str], where: pages.Command) -> None:
    program = pathlib.Path(words[0]).name
    if program in LAUNCHERS and "parityd" in words:
        known(parityd, words[words.index("parityd") :], where)
    elif program == "parityd":
        in_help(parityd, words[1:], where)
    elif program == "bootstrap":
        usage = subprocess.run([ROOT / "bootstrap", "--help"], capture_output=True, text=True, check=True).stdout
        assert f"bootstrap {words[1]}" in usage, f"{where}: bootstrap has no {words[1]}"
    elif program == "parityd-bench":
        bench = pathlib.Path(parityd).with_name(program)
        if bench.exists():  # it is not built with sanitizers
            in_help(str(bench), words[1:], where)
    elif program in ("python", "python3"):
        assert (ROOT / words[1]).exists() or where.text.startswith("python repro.py"), f"{where}: no {words[1]}"
    elif (ROOT / words[0]).is_file():
        pass  # a script of ours
    elif program.endswith("_test"):
        declared = any(
            re.search(rf"parityd_test\({program}\s", f.read_text()) for f in ROOT.glob("tests/**/CMakeLists.txt")
        )
        assert declared, f"{where}: no test {program}"
    else:
        assert program in OTHERS | {"sqlite3"}, f"{where}: nobody knows {program}; see OTHERS in {__file__}"
    if program == "cmake" and "--preset" in words:
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        preset = words[words.index("--preset") + 1]
        assert preset in {entry["name"] for entry in presets}, f"{where}: no preset {preset}"


def runs_here(command: pages.Command) -> bool:
    return not command.needs and all(
        pathlib.Path(words[0]).name in BESIDE for words in pages.simple_commands(command.text)
    )


def queries(place: Place, command: pages.Command) -> None:
    """sqlite3 itself need not be here: its last argument is the query."""
    for words in pages.simple_commands(command.text):
        if words[0] == "sqlite3":
            sqlite3.connect(f"file:{place.database}?mode=ro", uri=True).execute(words[-1]).fetchall()


def try_page(parityd: str, page: pathlib.Path, prepared: pathlib.Path, folder: pathlib.Path) -> str:
    """What was done, for the log."""
    shown = pages.commands(page)
    for command in shown:
        for words in pages.simple_commands(command.text):
            known(parityd, words, command)
    run = [command for command in shown if runs_here(command)]
    asked = [command for command in shown if "sqlite3" in command.text]
    if run or asked:
        if not prepared.exists():
            prepared.mkdir()
            prepare(parityd, prepared)
        shutil.copytree(prepared, folder)
        place = Place(parityd, folder)
        for command in run:
            place.run(command)
        for command in asked:
            queries(place, command)
    return f"{len(shown)} commands, {len(run) + len(asked)} of them ran"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("page", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, page in enumerate(arguments.page):
            try:
                print(f"{page}: {try_page(arguments.parityd, page, folder / 'prepared', folder / str(number))}")
            except AssertionError as error:
                wrong += 1
                print(f"WRONG: {error}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
