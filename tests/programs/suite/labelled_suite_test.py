"""The arithmetic of labelled_suite.py: three shapes of truth, what is counted as found, missed and false."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import labelled_suite as suite

BY_NAME = {
    "wrong": {"verdict": "inconsistent", "kind": "numerical"},
    "raises": {"verdict": "inconsistent", "kind": "behaviour"},
    "fine": {"verdict": "consistent", "kind": None},
    "rounded": {"verdict": "not inconsistent", "kind": None},
}
BY_VERSION = {
    "old": "2.6.0",
    "new": "2.13.0",
    "programs": [
        {"id": "fixed", "kind": "numerical", "expect_old": "inconsistent", "expect_new": "consistent"},
        {"id": "open", "kind": "metadata", "expect_old": "inconsistent", "expect_new": "inconsistent"},
        {"id": "trap", "kind": "trap", "expect_old": "consistent", "expect_new": "consistent"},
        {"id": "unclear", "kind": "numerical", "expect_old": "inconsistent", "expect_new": None},
    ],
}
BY_LABEL = {"device": "any", "programs": {"s1": {"label": "bug"}, "s2": {"label": "rounding"}, "s3": {"label": "ub"}}}


def seen(verdict: str, kind: str | None = None, rule: str = "r") -> dict:
    return {"verdict": verdict, "kind": kind, "rule": rule, "explanation": "because"}


class Truth(unittest.TestCase):
    def test_by_name(self):
        labels = suite.labels_of(BY_NAME, "2.13.0")
        self.assertEqual(labels["wrong"], suite.Label(True, "numerical"))
        self.assertEqual(labels["rounded"], suite.Label(False))

    def test_by_version(self):
        old = suite.labels_of(BY_VERSION, "2.6.0+cpu")
        self.assertEqual(old["fixed"], suite.Label(True, "numerical"))
        self.assertIn("unclear", old)
        new = suite.labels_of(BY_VERSION, "2.14.0.dev2026")
        self.assertEqual(new["fixed"], suite.Label(False))
        self.assertNotIn("unclear", new)
        self.assertEqual(set(suite.labels_of(BY_VERSION, "2.11.0+cu130")), {"open", "trap"})

    def test_by_label(self):
        labels = suite.labels_of(BY_LABEL, "2.11.0")
        self.assertEqual([name for name, label in labels.items() if label.inconsistent], ["s1"])


class Arithmetic(unittest.TestCase):
    labels = suite.labels_of(BY_NAME, "2.13.0")

    def test_all_right(self):
        verdicts = {
            "wrong": seen("inconsistent", "numerical"),
            "raises": seen("inconsistent", "behaviour"),
            "fine": seen("consistent"),
            "rounded": seen("excused"),
        }
        self.assertTrue(suite.score(self.labels, verdicts).right)
        text = suite.table(self.labels, verdicts)
        self.assertIn("all                    2     2   100.0%", text)
        self.assertIn("false positives: 0 of 2 negatives", text)

    def test_missed_false_and_wrong_kind(self):
        verdicts = {
            "wrong": seen("excused", None, "numbers.noise"),
            "raises": seen("inconsistent", "crash", "outcome.crash"),
            "fine": seen("inconsistent", "gradient", "numbers.double_run"),
        }
        result = suite.score(self.labels, verdicts)
        self.assertFalse(result.right)
        self.assertEqual(len(result.missed), 1)
        self.assertEqual(result.not_judged, ["rounded"])
        text = suite.table(self.labels, verdicts)
        self.assertIn("behaviour              1     1   100.0%", text)
        self.assertIn("numerical              0     1     0.0%", text)
        self.assertIn("false positives: 1 of 2 negatives\n  1 gradient by numbers.double_run", text)
        self.assertIn("missed: wrong: excused [numbers.noise]", text)
        self.assertIn("found as another kind: raises: behaviour expected, crash", text)
        self.assertIn("not judged: rounded", text)

    def test_one_command(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "truth.json").write_text(json.dumps(BY_LABEL))
            lines = [{"file": f"{name}.md", **seen("consistent")} for name in ("s1", "s2", "s3")]
            (folder / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
            command = [sys.executable, suite.__file__, str(folder), "--no-run", "--torch", "2.11"]
            done = subprocess.run([*command, "--results", str(folder / "r.jsonl")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("any kind               0     1     0.0%", done.stdout)
            self.assertIn("missed: s1", done.stdout)


if __name__ == "__main__":
    unittest.main()
