"""CI's second try (.ci/again_alone): a test that fails beside others is run again alone, once, and only what fails
there fails CI. again_alone_test.py SOURCES"""

import pathlib
import subprocess
import sys
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(fake LANGUAGES NONE)
enable_testing()
add_test(NAME good COMMAND true)
"""
ONCE = 'add_test(NAME once COMMAND sh -c "test -e {marker} || { touch {marker}; exit 1; }")\n'
ALWAYS = "add_test(NAME always{number} COMMAND false)\n"


def run(sources: pathlib.Path, tests: str, *words: str) -> tuple[int, str, list[str]]:
    """The exit status, what was printed, the raced tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "CMakeLists.txt").write_text(PROJECT + tests.replace("{marker}", str(folder / "marker")))
        build = folder / "build"
        subprocess.run(["cmake", "-G", "Ninja", "-S", name, "-B", str(build)], check=True, capture_output=True)
        command = [str(sources / ".ci" / "again_alone"), str(build)]
        command += words or ["ctest", "--test-dir", str(build), "--parallel", "3"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout, (build / "raced.txt").read_text().splitlines()


def main() -> None:
    sources = pathlib.Path(sys.argv[1])
    status, said, raced = run(sources, "")
    assert status == 0 and "BESIDE OTHERS" not in said and not raced, said

    status, said, raced = run(sources, ONCE)
    assert status == 0 and raced == ["once"], (said, raced)
    assert "FAILED BESIDE OTHERS" in said and "once" in said.partition("BESIDE OTHERS")[2], said
    assert "100% tests passed, 0 tests failed out of 1" in said.partition("BESIDE OTHERS")[2], said

    status, said, raced = run(sources, ONCE + ALWAYS.format(number=0))
    assert status == 8 and raced == ["once"], (status, said, raced)
    assert "1 tests failed out of 2" in said.partition("BESIDE OTHERS")[2], said

    status, said, raced = run(sources, "".join(ALWAYS.format(number=number) for number in range(11)))
    assert status == 8 and not raced and "BESIDE OTHERS" not in said, said

    status, said, raced = run(sources, ONCE, "false")  # what failed was no test
    assert status == 1 and not raced and "BESIDE OTHERS" not in said, (status, said)


if __name__ == "__main__":
    main()
