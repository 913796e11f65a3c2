# ruff: noqa: F821 (names that prelude.py defines)
attempt("stat", lambda: os.stat(GIVEN["secret"]))
attempt("readlink", lambda: os.readlink("/proc/self/root" + GIVEN["link"]))
