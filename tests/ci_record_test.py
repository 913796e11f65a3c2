"""CI's record (.ci/record.py): what passed under sanitizers is not run again, and a test that ran nowhere is told.
ci_record_test.py SOURCES"""

import pathlib
import subprocess
import sys
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(fake LANGUAGES NONE)
enable_testing()
foreach(name "part: one" "part: two" "week: one")
  add_test(NAME ${name} COMMAND true)
  set_tests_properties(${name} PROPERTIES LABELS case)
endforeach()
add_test(NAME part CONFIGURATIONS Whole COMMAND echo "0.250 s: one")
add_test(NAME skips COMMAND echo "SKIPPED: there is no moon")
set_tests_properties(skips PROPERTIES SKIP_REGULAR_EXPRESSION SKIPPED:)
add_test(NAME torch COMMAND true)
add_test(NAME weeks COMMAND true)
set_tests_properties(weeks PROPERTIES LABELS long)
file(WRITE ${CMAKE_BINARY_DIR}/whole_tests.txt "part\t^part:\nweeks\t^week:\n")
"""


class Scene:
    def __init__(self, sources: pathlib.Path, folder: pathlib.Path) -> None:
        self.command = [sys.executable, str(sources / ".ci" / "record.py")]
        self.logs, self.build = folder / "ci", folder / "release"
        self.logs.mkdir()
        (self.logs / "stages.txt").write_text("sanitized tests 3\ntests 4\n")
        (folder / "CMakeLists.txt").write_text(PROJECT)
        subprocess.run(["cmake", "-S", folder, "-B", self.build], check=True, capture_output=True)

    def ctest(self, run: str, *words: str) -> str:
        command = [
            "ctest",
            "--test-dir",
            str(self.build),
            "-C",
            "Whole",
            "--output-junit",
            str(self.logs / f"{run}.xml"),
        ]
        return subprocess.run([*command, *words], check=True, capture_output=True, text=True).stdout

    def record(self, what: str) -> tuple[int, str]:
        command = [*self.command, what, str(self.logs), str(self.build)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(pathlib.Path(sys.argv[1]), pathlib.Path(name))
        scene.ctest("sanitizers", "-R", "^(part|skips)$", "-LE", "case")
        rest = scene.logs / "rest.txt"
        rest.write_text(scene.record("rest")[1])
        ran = scene.ctest("tests", "-I", str(rest))
        assert "tests failed out of 2" in ran and "torch" in ran and "skips" in ran, ran  # what is skipped did not pass
        assert "part" not in ran and "weeks" not in ran, ran

        status, said = scene.record("report")
        assert status == 0 and "5 tests are known, 5 ran, alone or in a whole" in said, said
        for line in ["7.0  all", "0.2  sanitizers: part: one", "skipped: 1 tests", "1  there is no moon", "raced: 0"]:
            assert line in said, (line, said)

        (scene.logs / "tests.raced").write_text("torch\n")
        assert "raced: 1 tests" in scene.record("report")[1]
        scene.ctest("sanitizers", "-R", "skips")  # now no whole test ran
        status, said = scene.record("report")
        assert status == 1 and "nowhere ran: 3" in said and "part: two" in said, said


if __name__ == "__main__":
    main()
