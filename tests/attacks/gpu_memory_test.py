"""Row 26: a program takes all of the GPU's memory and keeps it; those after it are judged as if it had not. (A kernel
that never ends: tests/programs/hangs.)"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HOG = """
import torch

KEPT = []


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    try:
        while True:
            KEPT.append(torch.empty(1 << 30, dtype=torch.uint8, device="cuda"))
    except RuntimeError:
        pass
    return [torch.randn(3)]
"""
HONEST = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x @ x) + {number}


def get_inputs():
    return [torch.randn(512, 512)]
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--python", required=True)
    arguments = parser.parse_args()
    if not pathlib.Path("/dev/nvidiactl").exists():
        print("SKIPPED: no GPU here")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, text in enumerate([HOG, *(HONEST.format(number=number) for number in range(3))]):
            files.append(pathlib.Path(folder, f"{number}.py"))
            files[-1].write_text(text)
        command = [
            arguments.parityd,
            "check",
            "--json",
            "--workers",
            "1",
            "--python",
            arguments.python,
            *map(str, files),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    verdicts = {pathlib.Path(line["file"]).stem: line for line in map(json.loads, done.stdout.splitlines())}
    for name, line in sorted(verdicts.items()):
        print(name, line["verdict"], line["explanation"])
    honest = [verdicts[str(number)]["verdict"] for number in (1, 2, 3)]
    hog = verdicts["0"]["verdict"]
    return 0 if honest == ["consistent"] * 3 and hog != "inconsistent" else 1


if __name__ == "__main__":
    sys.exit(main())
