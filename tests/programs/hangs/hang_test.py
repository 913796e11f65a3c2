"""Programs that hang in different places, through `parityd check` with short deadlines: the verdict is right, the
programs beside them are judged, and no process of theirs survives. `judge` runs all, `case NAME` looks at one, `whole`
does both for all."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
MARK = "7654321"  # every hanging process has it in its command line
EXPECTED = {
    "hangs_in_python": ("inconsistent", "hang"),
    "hangs_with_the_lock": ("inconsistent", "hang"),
    "hangs_in_the_compiler": ("inconsistent", "hang"),
    "hangs_in_eager": ("invalid", None),
    "hangs_on_the_gpu": ("inconsistent", "hang"),
    "hangs_in_triton": ("inconsistent", "hang"),
    "consistent_mlp": ("consistent", None),
}
NEEDS_GPU = {"hangs_on_the_gpu", "hangs_in_triton"}
CPU_ONLY = {"hangs_in_the_compiler"}  # Inductor starts a C++ compiler for the CPU's kernels
CONFIG = "[executor]\nprogram_deadline_seconds = 8\ncompile_deadline_seconds = 20\n"


def file_of(name: str) -> str:
    return str((HERE if name.startswith("hangs") else HERE.parent) / f"{name}.py")


def survivors() -> list[str]:
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().split(b"\0")
        except OSError:
            continue
        if MARK.encode() in words:
            found.append(" ".join(word.decode(errors="replace") for word in words))
    return found


def judge(arguments: argparse.Namespace) -> int:
    gpu = pathlib.Path("/dev/nvidiactl").exists()
    names = [name for name in EXPECTED if gpu or name not in NEEDS_GPU]
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write(CONFIG)
        config.flush()
        command = [arguments.parityd, "--config", config.name, "check", "--json", "--python", arguments.python]
        codes = []
        with open(arguments.results, "w") as results:
            runs = {"cpu": CPU_ONLY, "auto": set(names) - CPU_ONLY} if gpu else {"cpu": names}
            for device, chosen in runs.items():
                words = [*command, "--device", device, *map(file_of, sorted(chosen))]
                codes.append(subprocess.run(words, stdout=results, check=False).returncode)
    left = survivors()
    for command_line in left:
        print(f"still there: {command_line}")
    return 1 if left or any(code not in (0, 1) for code in codes) else 0


def case(name: str, results: str) -> int:
    if name in NEEDS_GPU and not pathlib.Path("/dev/nvidiactl").exists():
        print("SKIPPED: no GPU here")
        return 0
    lines = map(json.loads, pathlib.Path(results).read_text().splitlines())
    for line in lines:
        if pathlib.Path(line["file"]).stem == name:
            print(f"{name}: {line['verdict']} {line['kind'] or ''} [{line['rule']}] {line['explanation']}")
            return 0 if (line["verdict"], line["kind"]) == EXPECTED[name] else 1
    print(f"{name}: no verdict was printed")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("judge", "whole"):
        judging = commands.add_parser(command)
        judging.add_argument("--parityd", required=True)
        judging.add_argument("--python", required=True)
        judging.add_argument("--results", required=True)
    one = commands.add_parser("case")
    one.add_argument("name")
    one.add_argument("--results", required=True)
    arguments = parser.parse_args()
    if arguments.command == "case":
        return case(arguments.name, arguments.results)
    code = judge(arguments)
    return code if code or arguments.command == "judge" else max(case(name, arguments.results) for name in EXPECTED)


if __name__ == "__main__":
    sys.exit(main())
