"""A fork parent for attack programs: the module that workers use, without a worker around it. A child runs the text
that it is sent and tells its attempts on the channel; MARK is where a write to its parent would show."""

import ctypes
import hashlib
import json
import os
import sys
import threading

import torch  # noqa: F401 - first: parityd_worker's symbols come with it

sys.path.insert(0, os.environ["PARITYD_MODULE"])
import parityd_worker

MARK = ctypes.create_string_buffer(b"clean", 8)
KEPT = os.open("/dev/null", os.O_RDONLY)  # what a parent has open its children inherit


def main() -> None:
    # Libraries have threads that do as they like; the parent's memory rests all the same.
    busy = threading.Thread(target=hashlib.pbkdf2_hmac, args=("sha256", b"", b"", (1 << 31) - 1), daemon=True)
    busy.start()  # without the interpreter lock
    channel = parityd_worker.Channel(int(os.environ["PARITYD_IN"]), int(os.environ["PARITYD_OUT"]))
    parityd_worker.fork_children(channel, 0.0, os.environ.get("PARITYD_CHILDREN", ""))
    asked = json.loads(channel.read_line())
    try:
        exec(compile(asked["program"], "attack.py", "exec"), {"__name__": "attack", "MARK": MARK, "KEPT": KEPT})
    finally:
        os._exit(0)


main()
