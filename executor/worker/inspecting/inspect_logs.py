"""Tools that show torch's own logs, written while the program is compiled."""

import contextlib
import dataclasses
import logging
import os
from typing import TYPE_CHECKING, Any

import torch._logging
from inspect_missing import NotInTorch

if TYPE_CHECKING:
    from inspect_subject import Subject

FILTERED = "forward"  # of the program's Model, which every program has


def _log_to_text(subject: "Subject", **levels: Any) -> None:
    """torch recreates its handlers for every choice of logs, for whatever is standard error at that moment."""
    with contextlib.redirect_stderr(subject.text):
        torch._logging.set_logs(**levels)


def info_log(subject: "Subject") -> None:
    _log_to_text(subject, all=logging.INFO)
    subject.run()


def debug_log(subject: "Subject") -> None:
    _log_to_text(subject, all=logging.DEBUG)
    subject.run(settings={"dynamo": {"verbose": True}})


def guards(subject: "Subject") -> None:
    """Guards come from Dynamo; a backend that fails would keep them from being built."""
    _log_to_text(subject, guards=True)
    subject.run("dynamo_eager")


def recompiles(subject: "Subject") -> None:
    """At least a second call: the first cannot recompile. A backend that fails would end the first."""
    options = subject.program.options
    subject.program.options = dataclasses.replace(options, calls=max(2, options.call_count))
    _log_to_text(subject, recompiles=True)
    torch._dynamo.utils.clear_compilation_metrics()
    subject.run("dynamo_eager")
    metrics = torch._dynamo.utils.get_compilation_metrics()
    again = [entry for entry in metrics if getattr(entry, "recompile_reason", None)]
    subject.text.write(
        f"{subject.program.options.call_count} calls, {len(metrics)} compilations, {len(again)} of them again\n"
    )
    for entry in metrics:
        reason = getattr(entry, "recompile_reason", None) or "first"
        subject.text.write(f"  {entry.co_name} ({entry.co_filename}:{entry.co_firstlineno}): {reason}\n")


def function_filter(subject: "Subject") -> None:
    os.environ["TORCHDYNAMO_DEBUG_FUNCTION"] = FILTERED
    subject.text.write(f"TORCHDYNAMO_DEBUG_FUNCTION={FILTERED}: no other function is compiled\n")
    _log_to_text(subject, dynamo=logging.INFO)
    subject.run()


def output_code(subject: "Subject") -> None:
    """The log has the code before any of it is built or loaded, so it is there even if that fails."""
    _log_to_text(subject, output_code=True)
    subject.run()


def trace(subject: "Subject") -> None:
    """What TORCH_TRACE would write, for tlparse."""
    internal = torch._logging._internal
    formatter = getattr(internal, "TorchLogsFormatter", None)
    if formatter is None or not hasattr(internal, "trace_log"):
        raise NotInTorch("debug-log", "the structured trace's formatter is gone")
    table = getattr(torch._logging.structured, "INTERN_TABLE", None)
    if table is not None:
        table.clear()  # otherwise file names numbered before the trace began would be missing from it
    handler = logging.StreamHandler(subject.text)
    handler.setFormatter(formatter(trace=True))
    internal.trace_log.addHandler(handler)
    internal.trace_log.setLevel(logging.DEBUG)
    internal.trace_log.propagate = False
    subject.run()
