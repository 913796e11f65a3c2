# ruff: noqa: F821, SIM115 (names that prelude.py defines)
IPC_CREAT, KEY = 0o1000, GIVEN["key"]
name = f"/dev/shm/parityd-attack-{KEY}"
if GIVEN["plant"]:
    attempt("segment", lambda: call("shmget", KEY, 4096, IPC_CREAT | 0o666))
    attempt("file", lambda: open(name, "w"))
else:
    attempt("segment", lambda: call("shmget", KEY, 4096, 0))
    attempt("file", lambda: open(name))
