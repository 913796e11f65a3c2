"""What the room around a fresh child costs: the same empty program in children of two primed fork parents, one with all
layers and one without those that keep a child from its parent, turn by turn.

    python3 tests/bench/child_cost.py --parityd build/release/bin/parityd --children 200
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "executor" / "worker"))

from built_module import built_module  # noqa: E402

SOURCES = ROOT / "executor" / "worker"
ROOM = ("child_processes", "child_user", "landlock", "seccomp", "hidden")
PROGRAM = """import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x
def get_inputs():
    return [torch.ones(1)]
"""


class Parent:
    def __init__(self, parityd: pathlib.Path, module: str, without: tuple[str, ...]) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="parityd-bench-")
        pathlib.Path(self.folder.name).chmod(0o755)
        self.scratch = pathlib.Path(self.folder.name, "scratch")
        words = [parityd.with_name("parityd-worker"), "--fork-parent", "--python", sys.executable]
        words += ["--module", module, "--sources", SOURCES, "--scratch", self.scratch]
        words += ["--cache", pathlib.Path(module, "compiler-cache")]
        words += [word for layer in without for word in ("--without", layer)]
        self.process = subprocess.Popen(
            list(map(str, words)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0
        self.wait("hello")
        self.send({"type": "prime", "device": "cpu", "fork_parent": True})
        self.wait("primed")

    def send(self, *lines: dict) -> None:
        self.process.stdin.write("".join(json.dumps(it, separators=(",", ":")) + "\n" for it in lines).encode())
        self.process.stdin.flush()

    def wait(self, kind: str) -> dict:
        while (message := json.loads(self.process.stdout.readline()))["type"] != kind:
            if message["type"] == "error":
                raise SystemExit(message["message"])
        return message

    def child(self) -> tuple[float, float]:
        """Milliseconds from the request to the answer, and from there to the parent's word of the end."""
        self.number += 1
        run = {"type": "run", "id": self.number, "program": PROGRAM, "modes": ["eager"], "device": "cpu", "seed": 7}
        run |= {"choose_compiled": False, "fresh": True, "artefacts": "", "neutralisers": []}
        started = time.perf_counter()
        self.send({"id": self.number, "type": "fork"}, {**run, "file": str(self.scratch / f"jobs/{self.number}/p.py")})
        self.wait("result")
        answered = time.perf_counter()
        assert self.wait("ended")["changed"] == "0"
        return (answered - started) * 1e3, (time.perf_counter() - answered) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parityd", type=pathlib.Path, required=True)
    parser.add_argument("--children", type=int, default=100)
    arguments = parser.parse_args()
    module = built_module(str(arguments.parityd))
    parents = {
        "all layers": Parent(arguments.parityd, module, ()),
        "without the room": Parent(arguments.parityd, module, ROOM),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in parents}
    for _ in range(arguments.children):
        for name, parent in parents.items():
            times[name].append(parent.child())
    medians = {name: [statistics.median(column) for column in zip(*rows, strict=True)] for name, rows in times.items()}
    for name, (answer, end) in medians.items():
        print(f"{name}: answer {answer:.1f} ms, end {end:.1f} ms")
    one, other = (sum(row) for row in medians.values())
    print(f"a child costs {one - other:.1f} ms more ({one / other:.2f} times)")
    for parent in parents.values():
        parent.process.stdin.close()
        parent.process.wait(30)


if __name__ == "__main__":
    main()
