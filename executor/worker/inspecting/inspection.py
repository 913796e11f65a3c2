"""One `inspect` message: runs a debugging tool of PyTorch on one program; its text goes into a file
(docs/inspect.md)."""

import importlib
import os
import traceback
from collections.abc import Callable
from typing import Any

import errors
import torch
from inspect_missing import NotInTorch
from inspect_subject import Subject
from tool_table import ROWS


def _named(function: str) -> Callable[[Subject], None]:
    """For "inspect_logs.guards". Imported now, because programs must not find the worker's files by accident."""
    module, _, name = function.partition(".")
    return getattr(importlib.import_module(module), name)


TOOLS = {row["name"]: _named(row["function"]) for row in ROWS}


def inspect(message: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """The answer to an `inspect` message."""
    tool, device = message["tool"], message["device"]
    run = TOOLS.get(tool)
    if run is None:
        raise ValueError(f"unknown tool {tool!r}")
    subject = Subject(message, send)
    failure = ""
    try:
        subject.text.write(f"== {tool} of {os.path.basename(message['file'])}, torch {torch.__version__} on {device}\n")
        run(subject)
        subject.text.begin_end()
        subject.text.write(subject.ending())
    except NotInTorch as missing:
        version = ".".join(torch.__version__.split(".")[:2])
        subject.text.write(f"not in torch {version}: use {missing.instead} ({missing.why})\n")
    except Exception as error:  # of the tool: what the program raises is in its outcome
        failure = errors.capped(f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-6)}", 8 << 10)
    return {"type": "inspected", "id": message["id"], "failure": failure, "text": subject.answer}
