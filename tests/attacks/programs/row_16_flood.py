# ruff: noqa: F821 (names that prelude.py defines)
for _ in range(512):
    os.write(1, b"x" * 65536)
    os.write(2, b"y" * 65536)
tell("flood", "passed")
