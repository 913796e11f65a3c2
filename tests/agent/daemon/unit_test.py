"""The unit that is installed: systemd reads it without a word, and it asks for what docs/service.md promises."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROMISED = {
    "Type": "notify",
    "WatchdogSec": "2min",
    "Restart": "on-failure",
    "ExecReload": "/bin/kill -HUP $MAINPID",
    "KillMode": "mixed",
    "OOMPolicy": "continue",
    "NoNewPrivileges": "yes",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unit", required=True, type=pathlib.Path)
    parser.add_argument("--parityd", required=True)
    arguments = parser.parse_args()
    text = arguments.unit.read_text()
    assert "@" not in text, "a variable of CMake was left"
    settings = dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))
    assert settings | PROMISED == settings, {key: settings.get(key) for key in PROMISED}
    assert settings["ExecStart"].endswith("/bin/parityd run"), settings["ExecStart"]
    if shutil.which("systemd-analyze") is None:
        print("SKIPPED: there is no systemd-analyze")
        sys.exit()
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / "parityd.service"
        unit.write_text(text.replace(settings["ExecStart"], f"{arguments.parityd} run"))
        command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "parityd" in line]
    assert done.returncode == 0 and not ours, (done.returncode, done.stderr)
    print("ok")


if __name__ == "__main__":
    main()
