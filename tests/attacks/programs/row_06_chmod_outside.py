# ruff: noqa: F821 (names that prelude.py defines)
attempt("chmod", lambda: os.chmod(GIVEN["secret"], 0o777))
attempt("chown", lambda: os.chown(GIVEN["secret"], os.getuid(), os.getgid()))
attempt("utime", lambda: os.utime(GIVEN["secret"]))
