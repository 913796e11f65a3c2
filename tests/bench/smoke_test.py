"""Runs `parityd-bench pool` over two programs and checks that its JSON says what it must; no figure is judged.

smoke_test.py PARITYD_BENCH PYTHON PROGRAMS
"""

import json
import subprocess
import sys


def main():
    bench, python, programs = sys.argv[1:]
    words = ["--limit", "2", "--repeats", "1", "--workers", "2", "--device", "cpu", "--json"]
    done = subprocess.run(
        [bench, "pool", "--programs", programs, "--python", python, *words], stdout=subprocess.PIPE, text=True
    )
    assert done.returncode == 0, f"exit code {done.returncode}"
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["benchmark"] == "pool" and result["programs"] == 2, result
    assert isinstance(result["ratio"], float) and result["ratio"] > 0, result
    assert set(result["sides"]) == {"warm", "fresh"}, result
    for side in result["sides"].values():
        assert side["workers"] == 2 and len(side["seconds"]) == 1 and side["seconds"][0] > 0, result
        assert side["median"] == side["seconds"][0], result
    # Both programs are made to fail when compiled: that must be told, on both sides, and break nothing.
    troubles = [set(side["troubles"]) for side in result["sides"].values()]
    assert troubles[0] == troubles[1] == {"behaviour_compile_error.py", "behaviour_runtime_error.py"}, troubles


if __name__ == "__main__":
    main()
