# ruff: noqa: F401 (for the programs)
"""In front of every attack program. GIVEN is what the test tells it; attempt() tells the test what happened."""

import ctypes
import errno
import json
import os
import platform
import socket
import sys

CHANNEL = int(os.environ["PARITYD_OUT"])
LIBC = ctypes.CDLL(None, use_errno=True)


def tell(name, outcome, detail=""):
    os.write(CHANNEL, json.dumps({"name": name, "outcome": outcome, "detail": str(detail)}).encode() + b"\n")


def attempt(name, action):
    """`passed` with what the action returned, or `denied` with why."""
    try:
        tell(name, "passed", action())
    except (OSError, MemoryError, ValueError) as error:
        tell(name, "denied", f"{type(error).__name__}: {error}")


def call(function, *arguments):
    """A function of the C library; raises as Python's own do."""
    ctypes.set_errno(0)
    result = getattr(LIBC, function)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def read(path):
    with open(path, "rb") as file:
        return file.read()


tell("sandbox", "passed", os.environ["PARITYD_SANDBOX"])
