# ruff: noqa: F821 (names that prelude.py defines)
import time

children = 0
try:
    while children < GIVEN["most"]:
        if os.fork() == 0:
            time.sleep(600)
        children += 1
    tell("fork", "passed", children)
except OSError:
    tell("fork", "denied", children)
