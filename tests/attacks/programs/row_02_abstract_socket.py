# ruff: noqa: F821 (names that prelude.py defines)
def connect():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + GIVEN["abstract"])


attempt("connect", connect)
