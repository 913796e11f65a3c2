"""What stands between a fresh child and the fork parent that it comes from: each layer with the others off, and all of
them together. Needs the worker module of this interpreter (`parityd worker build`)."""

import argparse
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "executor" / "worker"))

from built_module import built_module  # noqa: E402

ALL = [
    "identity",
    "user",
    "mount",
    "pid",
    "network",
    "ipc",
    "uts",
    "cgroup",
    "landlock",
    "seccomp",
    "rlimits",
    "hidden",
    "child_user",
    "child_processes",
]
LONGEST_WAIT = 120
ARGUMENTS = argparse.Namespace()


class Parent:
    """A fork parent in the launcher's sandbox, less the layers in `without`."""

    def __init__(self, without: list[str]) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="parityd-attack-")
        os.chmod(self.folder.name, 0o755)
        self.scratch = pathlib.Path(self.folder.name, "scratch")
        words = [
            ARGUMENTS.launcher,
            "--fork-parent",
            "--python",
            sys.executable,
            "--module",
            built_module(ARGUMENTS.parityd),
        ]
        words += ["--sources", str(HERE / "parent"), "--scratch", str(self.scratch)]
        words += ["--cache", str(pathlib.Path(self.folder.name, "cache"))]
        for layer in without:
            words += ["--without", layer]
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.number = 0
        self.pending = b""
        self.primed = self.message("primed")

    def __enter__(self) -> "Parent":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
        self.errors.close()
        self.folder.cleanup()

    def message(self, kind: str) -> dict:
        while True:
            message = self.line()
            if message.get("type") == kind:
                return message

    def line(self) -> dict:
        while b"\n" not in self.pending:
            ready, _, _ = select.select([self.process.stdout], [], [], LONGEST_WAIT)
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not more:
                self.errors.seek(0)
                raise EOFError(self.errors.read().decode(errors="replace")[-3000:])
            self.pending += more
        line, _, self.pending = self.pending.partition(b"\n")
        return json.loads(line)

    def child(self, program: str, **given: object) -> "Told":
        """What a child told that ran the program, and what its parent told of its end."""
        self.number += 1
        facts = {"number": self.number, "scratch": str(self.scratch), **given}
        text = f"GIVEN = {facts!r}\n" + (HERE / "programs" / "prelude.py").read_text() + program
        lines = [{"id": self.number, "type": "fork"}, {"program": text}]
        self.process.stdin.write("".join(json.dumps(it, separators=(",", ":")) + "\n" for it in lines).encode())
        self.process.stdin.flush()
        told = Told()
        while (message := self.line()).get("type") != "ended":
            told.take(message)
        told.end = message
        return told


class Told:
    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.details: dict[str, str] = {}
        self.end: dict = {}

    def take(self, message: dict) -> None:
        if "name" in message:
            self.outcomes[message["name"]] = message["outcome"]
            self.details[message["name"]] = message["detail"]

    def passed(self, group: str = "") -> list[str]:
        return [
            name for name, what in self.outcomes.items() if what == "passed" and name.startswith(group) and ":" in name
        ]

    def names(self, group: str) -> list[str]:
        return [name for name in self.outcomes if name.startswith(group)]

    @property
    def layers(self) -> dict[str, bool]:
        return {layer["name"]: layer["on"] for layer in json.loads(self.details["sandbox"])["layers"]}

    @property
    def touched(self) -> bool:
        return self.end["changed"] != "0"


ATTEMPTS = (HERE / "programs" / "fork_parent.py").read_text()
# Whose the file is asks nobody, and a weight is all it is: only a process namespace hides it.
HARMLESS = {"memory: weight"}


class ForkParent(unittest.TestCase):
    def attack(self, only: str | None, write: bool = True) -> tuple[Told, Told]:
        """What one child tried, and the child after it; `only`: the layers that are on, of those that matter."""
        without = [] if only is None else [layer for layer in ALL if layer not in only.split()]
        with Parent(without) as parent:
            self.assertEqual(parent.primed["changed"], "0")
            first = parent.child(ATTEMPTS, write=write)
            for layer in (only or "").split():
                if not first.layers.get(layer):
                    self.skipTest(f"SKIPPED: no {layer} here")
            return first, parent.child(ATTEMPTS)

    def test_all_layers(self) -> None:
        first, second = self.attack(None)
        if not first.layers["child_processes"]:
            self.skipTest("SKIPPED: no process namespaces here")
        expected = ["left: segment", "left: queue", "left: /dev/shm", "left: /tmp"]  # each time anew
        for told in (first, second):
            self.assertEqual([name for name in told.passed() if name not in expected], [])
            self.assertEqual((told.outcomes["mark"], told.outcomes["found"], told.touched), ("clean", "", False))

    def test_no_layer(self) -> None:
        """What the layers are for; and what the parent tells where none of them holds."""
        first, second = self.attack("")
        self.assertGreater(len(first.passed("memory:")), 10, first.details)
        self.assertGreater(len(first.passed("number:")), 8, first.details)
        self.assertIn("left: the next one's folder", first.passed())
        self.assertIn("memory: write", first.passed())
        self.assertTrue(first.touched)
        self.assertEqual(second.outcomes["mark"], "dirty")

    def test_hidden_alone(self) -> None:
        of_root = {f"memory: {name}" for name in ("descriptors", "core filter", "out of memory", "soft dirty")}
        first, second = self.attack("hidden")
        owned = of_root if first.outcomes["user"] == "root" else set()  # to root such a file would belong
        self.assertEqual(set(first.passed("memory:")) - HARMLESS - owned, set(), first.details)
        self.assertEqual((second.outcomes["mark"], first.touched), ("clean", False))

    def test_user_namespace_alone(self) -> None:
        """The kernel asks for the owner of such a file, not for its namespace, where nothing else is."""
        by_owner = {f"memory: {name}" for name in ("descriptors", "core filter", "out of memory", "soft dirty")}
        first, second = self.attack("identity user mount child_user")
        self.assertEqual(set(first.passed("memory:")) - HARMLESS - by_owner, set(), first.details)
        self.assertEqual((second.outcomes["mark"], first.touched), ("clean", False))

    def test_process_namespace_alone(self) -> None:
        first, second = self.attack("user child_processes")
        self.assertEqual(first.passed("memory:") + first.passed("number:"), [], first.details)
        self.assertEqual(first.outcomes["left: the next one's folder"], "denied")
        self.assertEqual((second.outcomes["mark"], first.touched), ("clean", False))

    def test_landlock_alone(self) -> None:
        first, second = self.attack("landlock")
        self.assertEqual(first.outcomes["memory: write"], "denied")
        self.assertEqual(first.outcomes["memory: read"], "denied")
        self.assertEqual((second.outcomes["mark"], first.touched), ("clean", False))

    def test_seccomp_alone(self) -> None:
        first, _ = self.attack("seccomp", write=False)
        self.assertEqual(first.passed("number:"), [], first.details)
        self.assertEqual([name for name in ("memory: readv", "memory: attach") if name in first.passed()], [])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parityd", required=True)
    parser.add_argument("--launcher", required=True)
    _, rest = parser.parse_known_args(namespace=ARGUMENTS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
