# ruff: noqa: F821 (names that prelude.py defines)
channel = {int(os.environ["PARITYD_IN"]), int(os.environ["PARITYD_OUT"])}
for number in range(256):
    try:
        os.fstat(number)
    except OSError:
        continue
    if number > 2 and number not in channel:
        tell(f"descriptor {number}", "passed", os.readlink(f"/proc/self/fd/{number}"))
tell("done", "passed")
