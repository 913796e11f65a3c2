"""Runs `parityd-bench pool` over two failing programs and checks that its JSON says what it must; no figure is judged.

smoke_test.py PARITYD_BENCH PYTHON PROGRAMS
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Made to fail when compiled.
FAILING = {"behaviour_compile_error.py", "behaviour_runtime_error.py"}


def main():
    bench, python, programs = sys.argv[1:]
    words = ["--repeats", "1", "--workers", "2", "--device", "cpu", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        for name in FAILING:
            shutil.copy(pathlib.Path(programs) / name, folder)
        done = subprocess.run(
            [bench, "pool", "--programs", folder, "--python", python, *words], stdout=subprocess.PIPE, text=True
        )
    assert done.returncode == 0, f"exit code {done.returncode}"
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["benchmark"] == "pool" and result["programs"] == 2, result
    assert isinstance(result["ratio"], float) and result["ratio"] > 0, result
    assert set(result["sides"]) == {"warm", "fresh"}, result
    for side in result["sides"].values():
        assert side["workers"] == 2 and len(side["seconds"]) == 1 and side["seconds"][0] > 0, result
        assert side["median"] == side["seconds"][0], result
    # That they fail must be told, on both sides, and break nothing.
    troubles = [set(side["troubles"]) for side in result["sides"].values()]
    assert troubles[0] == troubles[1] == FAILING, troubles


if __name__ == "__main__":
    main()
