# ruff: noqa: F821 (names that prelude.py defines)
own = json.dumps(dict(os.environ))
if GIVEN["canary"] in own:
    tell("own environment", "passed", own)
for process in [
    "1",
    str(os.getppid()),
    str(GIVEN["daemon"]),
    *filter(str.isdigit, os.listdir("/proc") if os.access("/proc", os.R_OK) else []),
]:
    try:
        text = read(f"/proc/{process}/environ")
    except OSError:
        continue
    if GIVEN["canary"].encode() in text:
        tell(f"environment of {process}", "passed", text)
tell("done", "passed")
