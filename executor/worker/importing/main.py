"""Imports torch with changed files, before any worker does, and says which module fails and how.

The launcher starts it in place of the worker's main.py, in the same sandbox (agent/cli/running/overlay_import.h). One
line of JSON comes, one goes. The changed files run in this process, so nothing that it says is to be relied on beyond
what they say of themselves.
"""

import faulthandler
import importlib
import json
import os
import sys
import traceback

# What every first compile imports; the rest follows from these or from the changed modules themselves.
CORE = ("torch", "torch._dynamo", "torch._inductor.compile_fx")
FRAMES = 3  # innermost ones that are told
LONGEST = 3_000  # characters of an error, from its end


def read_line(descriptor: int) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            break
        line += piece
    return line


def failure_of(module: str, overlay: str) -> str:
    """Empty: it imports."""
    try:
        importlib.import_module(module)
    except BaseException as error:  # SystemExit ends no worker either
        package = os.sep + "torch" + os.sep
        frames = [each for each in traceback.extract_tb(error.__traceback__) if package in each.filename]
        lines = ["Traceback (most recent call last):\n", *traceback.format_list(frames[-FRAMES:])]
        text = "".join([*lines, *traceback.format_exception_only(error)])
        if overlay:
            text = text.replace(overlay + os.sep, "")
        return text[-LONGEST:]
    return ""


def main() -> None:
    descriptors = int(os.environ.pop("PARITYD_IN")), int(os.environ.pop("PARITYD_OUT"))
    overlay = os.environ.get("PYTHONPATH", "")
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    asked = json.loads(read_line(descriptors[0]))
    faulthandler.dump_traceback_later(asked["seconds"], exit=True)
    failed = {}
    for module in (*CORE, *asked["modules"]):
        if failure := failure_of(module, overlay):
            failed[module] = failure
            if module in CORE:  # those after it need it
                break
    os.write(descriptors[1], json.dumps({"failed": failed}).encode() + b"\n")
    sys.stderr.flush()
    os._exit(0)  # torch's destructors have nothing to add


if __name__ == "__main__":
    main()
