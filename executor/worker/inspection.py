"""One `inspect` message: a debugging tool of PyTorch on one program; its text goes into a file (docs/inspect.md)."""

import functools
import os
import traceback
from collections.abc import Callable
from typing import Any

import errors
import inspect_artefacts
import inspect_graphs
import inspect_logs
import inspect_minify
import inspect_place
import inspect_sanitizer
import inspect_script
import torch
from inspect_missing import NotInTorch
from inspect_subject import Subject

TOOLS: dict[str, Callable[[Subject], None]] = {
    "info-log": inspect_logs.info_log,
    "debug-log": inspect_logs.debug_log,
    "graph-breaks": inspect_graphs.graph_breaks,
    "guards": inspect_logs.guards,
    "recompiles": inspect_logs.recompiles,
    "compile-times": inspect_graphs.compile_times,
    "minify-dynamo": inspect_minify.minify_dynamo,
    "minify-aot": inspect_minify.minify_aot,
    "accuracy-dynamo": inspect_minify.accuracy_dynamo,
    "accuracy-aot": inspect_minify.accuracy_aot,
    "function-filter": inspect_logs.function_filter,
    "fx-readable": inspect_artefacts.fx_readable,
    "fx-runnable": inspect_artefacts.fx_runnable,
    "fx-transformed": inspect_artefacts.fx_transformed,
    "ir-pre": inspect_artefacts.ir_pre,
    "ir-post": inspect_artefacts.ir_post,
    "output-code": inspect_logs.output_code,
    "graph-diagram": inspect_artefacts.graph_diagram,
    "trace": inspect_logs.trace,
    "replay": inspect_graphs.replay,
}
# Not for `parityd inspect`, the daemon asks for them: where a program on CUDA crashed or was flaky, to tell a model
# what came of a hypothesis, and whether a finding's script shows it.
OF_THE_DAEMON: dict[str, Callable[[Subject], None]] = {
    **{tool: functools.partial(inspect_sanitizer.sanitize, tool) for tool in inspect_sanitizer.TOOLS},
    "place": inspect_place.place,
    "script": inspect_script.script,
}


def inspect(message: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """The answer to an `inspect` message."""
    tool, device = message["tool"], message["device"]
    run = {**TOOLS, **OF_THE_DAEMON}.get(tool)
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
