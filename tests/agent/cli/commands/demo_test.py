"""`parityd demo`: the commands and the page on the shipped sample, without torch and without a daemon."""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import urllib.request

LEAST_FINDINGS = 15


def run(parityd: str, environment: dict[str, str], *words: str) -> str:
    done = subprocess.run([parityd, *words], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.returncode, done.stderr[-2000:])
    return done.stdout


def commands_read_it(parityd: str, environment: dict[str, str]) -> None:
    said = run(parityd, environment, "demo", "--no-page")
    folder = pathlib.Path(environment["XDG_CACHE_HOME"]) / "parityd/demo"
    commands = re.findall(r"^ +parityd (--state .*?) +#", said, re.MULTILINE)
    assert len(commands) >= 4 and all(str(folder) in command for command in commands), said
    for command in commands:
        assert run(parityd, environment, *shlex.split(command)).strip(), command
    state = ("--state", str(folder))
    findings = json.loads(run(parityd, environment, *state, "findings", "--json"))
    assert len(findings) >= LEAST_FINDINGS, len(findings)
    assert len({finding["kind"] for finding in findings}) >= 4, findings
    run(parityd, environment, *state, "triage", str(findings[0]["id"]), "wontfix", "--note", "tried")
    run(parityd, environment, "demo", "--no-page")
    again = json.loads(run(parityd, environment, *state, "findings", "--json"))
    assert again == findings, "what was tried before is still there"


def page_shows_it(parityd: str, environment: dict[str, str]) -> None:
    with subprocess.Popen([parityd, "demo"], env=environment, stdout=subprocess.PIPE, text=True) as demo:
        try:
            lines = iter(demo.stdout.readline, "")
            address = next((found.group() for line in lines if (found := re.search(r"http://\S+", line))), "")
            assert address, "it names no address"
            with urllib.request.urlopen(f"{address}/api/findings", timeout=60) as answer:
                assert len(json.load(answer)["findings"]) >= LEAST_FINDINGS
            with urllib.request.urlopen(f"{address}/api/overview", timeout=60) as answer:
                assert json.load(answer)["condition"] == "stopped"
            with urllib.request.urlopen(address, timeout=60) as answer:
                assert b"<title>" in answer.read()
            demo.send_signal(signal.SIGINT)
            assert demo.wait(timeout=60) == 0
        finally:
            demo.kill()


def main() -> None:
    (parityd,) = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "HOME": folder}
        environment.pop("STATE_DIRECTORY", None)
        commands_read_it(parityd, environment)
        page_shows_it(parityd, environment)
    print("ok")


if __name__ == "__main__":
    main()
