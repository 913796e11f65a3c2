"""Completion in real shells: what `parityd completion SHELL` prints is loaded, words are begun, and TAB ends them."""

import argparse
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile

from terminal import Terminal, environment_in

# What is typed and what must then stand on the line.
CASES = (
    ("parityd findi", "findings"),
    ("parityd --state STATE findings --trigger ordi", "ordinary"),
    ("parityd --state STATE findings --trigger=ordi", "--trigger=ordinary"),
    ("parityd worker bui", "worker build"),
    ("parityd check only-fi", "only-file.py"),
    ("parityd --state only-fo", "only-folder"),
    ("parityd --state STATE triage 1 false_", "false_positive"),
    ("parityd --state STATE show 4", "show 42"),
)


def make_state(parityd: str, folder: pathlib.Path, environment: dict[str, str]) -> pathlib.Path:
    """A database with one finding, number 42."""
    state = folder / "state"
    program = folder / "only-file.py"
    program.write_text(
        "import torch\n\n\ndef get_inputs():\n    return []\n\n\nclass Model(torch.nn.Module):\n    pass\n"
    )
    (folder / "only-folder").mkdir()
    done = subprocess.run(
        [parityd, "--state", str(state), "import", str(program)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    with sqlite3.connect(state / "parityd.db") as database:
        columns = database.execute("SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info('findings')")
        needed = [
            (name, 42 if kind == "INTEGER" else "x") for name, kind, must, default in columns if must and not default
        ]
        values = dict(needed) | {"id": 42, "kind": "numerical", "stage": "inductor", "title": "A: title"}
        values |= {"status": "new", "disposition": "ready"}
        values.pop("merged_into", None)
        names = ", ".join(values)
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute(
            f"INSERT INTO findings ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values())
        )
    return state


def in_fish(parityd: str, environment: dict[str, str], folder: pathlib.Path, line: str) -> str:
    """fish says by itself what it would complete."""
    script = f"parityd completion fish | source; complete -C {line!r}"
    command = ["fish", "--no-config", "-c", script]
    done = subprocess.run(
        command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done
    return done.stdout


def start(shell: str, environment: dict[str, str], folder: pathlib.Path) -> Terminal:
    """An interactive one without anybody's settings, the completion loaded."""
    if shell == "bash":
        terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], environment, columns=200)
        setup = "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source <(parityd completion bash)"
    else:
        terminal = Terminal(["zsh", "-f", "-i"], environment, columns=200)
        setup = "unset zle_bracketed_paste; autoload -U compinit; compinit -u -D; source <(parityd completion zsh)"
    terminal.type(f"cd {folder}; {setup}; echo rea''dy\r")
    terminal.until("the shell", lambda text: "ready\r\n" in text)
    return terminal


def completes(terminal: Terminal, line: str, wanted: str) -> None:
    """The line is typed as a comment's beginning would be: nothing of it is run."""
    terminal.raw, terminal.text = b"", ""
    terminal.type(line)
    terminal.until("the line's echo", lambda text: line[-6:] in plain(text))
    terminal.type("\t")
    terminal.until(f"{wanted} after {line}", lambda text: wanted in plain(text))
    terminal.type("\x15")  # Ctrl-U: away with it
    terminal.type("echo en''d\r")
    terminal.until("the next prompt", lambda text: "end\r\n" in plain(text))


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x07\x08]", "", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True, type=pathlib.Path)
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    arguments = parser.parse_args()
    if shutil.which(arguments.shell) is None:
        print(f"SKIPPED: there is no {arguments.shell}")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = environment_in(folder)
        environment["PATH"] = f"{arguments.parityd.parent}:{environment['PATH']}"
        state = make_state(str(arguments.parityd), folder, environment)
        cases = [(line.replace("STATE", str(state)), wanted) for line, wanted in CASES]
        if arguments.shell == "fish":
            for line, wanted in cases:
                found = in_fish(str(arguments.parityd), environment, folder, line)
                assert wanted.split()[-1] in found, (line, wanted, found)
        else:
            terminal = start(arguments.shell, environment, folder)
            try:
                for line, wanted in cases:
                    completes(terminal, line, wanted)
            finally:
                terminal.kill()
    print("ok")


if __name__ == "__main__":
    main()
