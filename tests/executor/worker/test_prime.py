"""What one process learnt about the host serves the others, and changes nothing that the compiler generates."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from driver import CACHE, SOURCES, Worker
from test_programs import LINEAR, differing, leaves

CHILD = pathlib.Path(__file__).with_name("prime_child.py")


def learn(shared, *arguments):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(CACHE),
        "TMPDIR": str(CACHE),
        "USER": "parityd",
        "OMP_NUM_THREADS": "1",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TORCHINDUCTOR_CACHE_DIR": f"{CACHE}/inductor",
        "PARITYD_CACHE": str(shared),
    }
    command = [sys.executable, "-B", str(CHILD), str(SOURCES), *arguments]
    return json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout)


class Prime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        CACHE.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.learnt = pathlib.Path(folder.name)
        cls.alone, cls.first = learn(""), learn(cls.learnt)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.shared = pathlib.Path(folder.name)

    def probed(self):
        """Where the first process left what it learnt, in this test's own folder."""
        if not self.first["started"]:
            self.skipTest("SKIPPED: this processor has no instruction set that is probed")
        shutil.copytree(self.learnt, self.shared, dirs_exist_ok=True)
        return next(self.shared.glob("isa-*.json"))

    def test_instruction_sets_are_probed_once_per_host(self):
        own = self.probed()
        second = learn(self.shared)
        self.assertGreater(self.alone["started"], 0)
        self.assertEqual(second["started"], 0)
        self.assertEqual(generated(self.first), generated(self.alone))
        self.assertEqual(generated(second), generated(self.alone))
        # What the first compile binds anew in a fork parent's child, its program would be blamed for.
        self.assertEqual(self.alone["rebound"], [])
        self.assertTrue(json.loads(own.read_text())["content"])

    def test_results_of_another_host_are_not_used(self):
        own = self.probed()
        self.assertGreater(learn(self.shared, "another processor")["started"], 0)
        other = next(file for file in self.shared.glob("isa-*.json") if file != own)
        own.write_bytes(other.read_bytes())
        self.assertGreater(learn(self.shared)["started"], 0)
        own.write_text('{"host": ')
        self.assertEqual(generated(learn(self.shared)), generated(self.first))

    def test_a_read_only_shared_cache_is_not_an_error(self):
        self.assertEqual(generated(learn("/proc")), generated(self.alone))

    def test_workers_share_the_cache_of_the_first_one(self):
        with Worker(shared=self.shared) as worker:
            self.assertEqual(differing(leaves(worker.run(LINEAR))), [])
        self.assertEqual({file.name.split("-")[0] for file in self.shared.glob("*-*")}, {"isa", "kernels", "modules"})
        for folder in self.shared.glob("kernels-*"):
            self.assertEqual(folder.stat().st_mode & 0o777, 0o755)  # who reads it may be another user
        before = {file: file.stat().st_mtime_ns for file in self.shared.glob("*-*")}
        with Worker(shared=self.shared, own=self.shared / "own", fork_parent=True) as worker:
            self.assertEqual(differing(leaves(worker.run(LINEAR, fresh=True))), [])
        self.assertEqual({file: file.stat().st_mtime_ns for file in self.shared.glob("*-*")}, before)


def generated(answer):
    return answer["code"], answer["isa"]


if __name__ == "__main__":
    unittest.main()
