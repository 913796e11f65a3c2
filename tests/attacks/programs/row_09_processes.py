# ruff: noqa: F821 (names that prelude.py defines)
attempt("list", lambda: sum(name.isdigit() for name in os.listdir("/proc")))
