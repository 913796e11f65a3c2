# ruff: noqa: F821 (names that prelude.py defines)
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
tell("hangs", "passed")
if GIVEN["how"] == "python":
    while True:
        pass
elif GIVEN["how"] == "lock held":
    sum(iter(int, 1))  # one call of C that never gives the interpreter lock back
else:
    signal.pause()  # every signal blocked
