"""`cmake --install` to a prefix, tried where the sources cannot be seen: what is installed is all that is needed."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


def get_inputs():
    return [torch.randn(4)]
"""
# A virtual environment and the build may lie beside them.
SOURCES = ("agent", "cmake", "docs", "executor", "oracle", "prompts", "store", "tests")
INSTALLED = (
    "bin/parityd",
    "bin/parityd-worker",
    "lib/systemd/system/parityd.service",
    "share/parityd/parityd.toml",
    "share/parityd/prompts/system.md",
    "share/parityd/prompts/strategies",
    "share/parityd/prompts/corpus",
    "share/parityd/store/draft.mustache",
    "share/parityd/store/known_issues.jsonl",
    "share/parityd/store/sample.db",
    "share/parityd/executor/shared/modes.json",
    "share/parityd/executor/shared/option_table.py",
    "share/parityd/executor/syntax/syntax.py",
    "share/parityd/executor/worker/CMakeLists.txt",
    "share/parityd/executor/worker/main.py",
    "share/parityd/oracle/measure_sources.cmake",
    "share/bash-completion/completions/parityd",
    "share/zsh/site-functions/_parityd",
    "share/fish/vendor_completions.d/parityd.fish",
    "share/doc/parityd/README.md",
    "share/doc/parityd/docs/README.md",
    "share/doc/parityd/docs/configuration.md",
    "share/doc/parityd/docs/pictures/pipeline.svg",
)


class Installed:
    """Below a prefix of its own; `run` sees no source tree where this machine lets us hide it."""

    def __init__(self, arguments: argparse.Namespace, folder: pathlib.Path) -> None:
        self.prefix, self.folder, self.source = folder / "prefix", folder, arguments.source
        command = [arguments.cmake, "--install", str(arguments.build), "--prefix", str(self.prefix)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        self.environment = {"HOME": str(folder), "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"}
        self.hide = self.hiding()

    def hiding(self) -> list[str]:
        """A prefix of commands that run with empty folders in the sources' places; [] where that is not allowed."""
        (self.folder / "empty").mkdir()
        hidden = [str(self.source / name) for name in SOURCES]
        script = "".join(f'mount --bind "{self.folder}/empty" "{each}" && ' for each in hidden) + 'exec "$@"'
        command = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"]
        if os.getuid() == 0:
            command.remove("--map-root-user")
        gone = ["test", "!", "-e", str(self.source / "prompts/system.md")]
        if subprocess.run([*command, *gone], capture_output=True, check=False).returncode == 0:
            return command
        print("the sources cannot be hidden here: only their names are looked for")
        return []

    def run(self, *words: str, expect: tuple[int, ...] = (0,)) -> str:
        command = [*self.hide, str(self.prefix / "bin/parityd"), "--state", str(self.folder / "state"), *words]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            cwd="/",
            env=self.environment,
            check=False,
        )
        assert done.returncode in expect, (words, done.returncode, done.stdout[-3000:], done.stderr[-3000:])
        return done.stdout + done.stderr


def names_of(folder: pathlib.Path) -> set[str]:
    return {
        str(each.relative_to(folder))
        for each in folder.rglob("*")
        if each.is_file() and "__pycache__" not in each.parts
    }


def everything(installed: Installed) -> None:
    prefix, source = installed.prefix, installed.source
    missing = [name for name in INSTALLED if not (prefix / name).exists()]
    assert not missing, missing
    unit = (prefix / "lib/systemd/system/parityd.service").read_text()
    assert f"ExecStart={prefix}/bin/parityd run\n" in unit, "the unit starts another parityd"
    assert "@" not in unit
    # The same sources make the same worker: one that was built from the tree serves the installed parityd, too.
    for folder in ("executor/worker", "oracle"):
        assert names_of(prefix / "share/parityd" / folder) == names_of(source / folder), folder
    for name in ("strategies", "corpus", "catalogues", "repairs"):
        assert names_of(prefix / "share/parityd/prompts" / name) == names_of(source / "prompts" / name), name
    # No file of parityd's own speaks of the tree; the fallback in the program is for builds that are not installed.
    texts = [each for each in prefix.rglob("*") if each.is_file() and "bin" not in each.relative_to(prefix).parts]
    telling = [each for each in texts if str(source).encode() in each.read_bytes()]
    assert not telling, telling
    config = installed.folder / "parityd.toml"
    shutil.copy(prefix / "share/parityd/parityd.toml", config)
    assert "parityd" in installed.run("--config", str(config), "status")
    text = installed.run("doctor", expect=(0, 1, 3))
    assert str(prefix) in text, text
    assert str(source) not in text.replace(str(prefix), ""), text
    assert "store/draft.mustache" in text, text
    fish = installed.run("completion", "fish")
    assert fish == (prefix / "share/fish/vendor_completions.d/parityd.fish").read_text()


def with_torch(installed: Installed, python: str) -> None:
    """The installed sources are those of the worker that was built from the tree, so that one serves: it judges a
    program, and the daemon runs."""
    installed.environment["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME") or str(pathlib.Path.home() / ".cache")
    before = workers(installed)
    said = installed.run("worker", "build", "--python", python)
    built = [each["folder"] for each in workers(installed) if each["current"] and each["python"] == python]
    assert len(built) == 1 and built[0] in said, (said, built)
    assert workers(installed) == before, "the installed sources are others than the tree's: a worker was built anew"
    text = installed.run("doctor").replace(python, "")  # which may lie in the tree
    assert str(installed.source) not in text.replace(str(installed.prefix), ""), text
    program = installed.folder / "program.py"
    program.write_text(PROGRAM)
    judged = json.loads(installed.run("check", "--json", str(program)).splitlines()[0])
    assert judged["verdict"] == "consistent", judged
    said = installed.run("run", "--programs", "1", "--provider", "builtin", "--workers", "1", "--json")
    summary = json.loads(next(line for line in said.splitlines() if line.startswith("{")))
    assert summary["programs"] == 1 and summary["harness_failures"] == 0, summary
    assert re.search(r"torch \d", said), said


def workers(installed: Installed) -> list[dict]:
    return json.loads(installed.run("worker", "list", "--json"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--python", help="with torch: judge programs, too")
    arguments = parser.parse_args()
    if (
        arguments.python
        and subprocess.run([arguments.python, "-c", "import torch"], capture_output=True, check=False).returncode
    ):
        print("SKIPPED: there is no torch")
        sys.exit()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)  # programs run as somebody else
        installed = Installed(arguments, folder)
        with_torch(installed, arguments.python) if arguments.python else everything(installed)
    print("ok")


if __name__ == "__main__":
    main()
