# ruff: noqa: F821 (names that prelude.py defines)
import subprocess

attempt(
    "set-uid program", lambda: subprocess.run([GIVEN["program"], "-u"], capture_output=True, text=True).stdout.strip()
)
