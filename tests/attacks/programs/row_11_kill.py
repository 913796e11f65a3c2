# ruff: noqa: F821 (names that prelude.py defines)
import signal

attempt("victim", lambda: os.kill(GIVEN["victim"], signal.SIGKILL))
if GIVEN["all"]:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    attempt("parent", lambda: os.kill(os.getppid(), signal.SIGKILL))
    attempt("group", lambda: os.kill(0, signal.SIGTERM))
    attempt("everybody", lambda: os.kill(-1, signal.SIGKILL))
tell("done", "passed")
