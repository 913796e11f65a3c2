"""The syntax process: answers questions about the text of programs over JSON lines and never executes a program.

Requests: {"id", "op", ...}, most with a "program". Answers, in order: {"id", "ok": {...}} or
{"id", "error": {"message", "line"}}.
The channel is the pair of descriptors in PARITYD_IN and PARITYD_OUT; without these, standard input and output.
Plain CPython 3.10 or newer; no packages.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

# ruff: noqa: E402 - what follows is found only then
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from syntax_path import FOLDERS

sys.path[:1] = FOLDERS

import calling
import document
import drawing
import edits
import fixes
import mutants
import options
import programs
import reading
import reductions
import salvage
import source
import sweep
import variants

LINE_CAP = 8 << 20
PROGRAM_CAP = 256 << 10
SECONDS_CAP = 20


def normalise(request: dict[str, Any]) -> dict[str, Any]:
    """Parse, salvage and fix. Returns identity text, options and, if the program cannot be used, why."""
    done: list[str] = []
    program = source.clean(request["program"])
    if request.get("truncated"):
        program, done = salvage.salvage(program)
    code = python_of(program, done) if request.get("fix") else source.Source(program)
    problem = ""
    if request.get("fix"):
        given = code
        try:
            code = fixes.fix(code, done)
        except TimeoutError:
            raise
        except Exception as error:  # a script may be written in any way
            known = isinstance(error, calling.NotUnderstood)
            problem = str(error) if known else f"the script cannot be converted ({explain(error)['message']})"
            done.clear()
            code = fixes.fixed(given, done)
    return {
        "identity_text": source.identity_text(code.text),
        "text": code.text,
        "fixes": done,
        "options": options.read(code.tree) or {},
        "problem": problem or programs.problem(code),
        "draws": drawing.draws(code),
        "has_model": code.class_named("Model") is not None,
        "has_inputs": code.function_named("get_inputs") is not None,
    }


def python_of(text: str, done: list[str]) -> source.Source:
    """The text, or the Python in it. Raises the text's SyntaxError if there is none."""
    try:
        if document.notebook(text) is None:
            return source.Source(text)
    except SyntaxError:
        if not document.is_like_python(text):
            raise ValueError("contains no Python program that uses torch") from None
        if not document.program_in(text)[0]:
            raise
    found, where = document.program_in(text)
    done.append(f"took {where}")
    return source.Source(found)


def outline(request: dict[str, Any]) -> dict[str, Any]:
    return edits.outline(source.Source(source.clean(request["program"])))


def mutants_of(request: dict[str, Any]) -> dict[str, Any]:
    code = source.Source(source.clean(request["program"]))
    return mutants.mutants(code, request["others"], request["seed"], request["count"], request["along"])


def with_options(request: dict[str, Any]) -> dict[str, Any]:
    write = options.merge if request["stated"] else options.override
    return normalise({"program": write(source.Source(source.clean(request["program"])), request["options"])})


def reductions_of(request: dict[str, Any]) -> dict[str, Any]:
    return reductions.listed(source.Source(source.clean(request["program"])), request["values"])


def reduced(request: dict[str, Any]) -> dict[str, Any]:
    code = source.Source(source.clean(request["program"]))
    return reductions.reduced(code, request["values"], request["reductions"], request["unread_locals"])


def plain(request: dict[str, Any]) -> dict[str, Any]:
    return reductions.plain(source.Source(source.clean(request["program"])), request["unread_locals"])


def variants_of(request: dict[str, Any]) -> dict[str, Any]:
    code = source.Source(source.clean(request["program"]))
    return variants.variants(code, request["operator"], request["modes"])


def sweep_of(request: dict[str, Any]) -> dict[str, Any]:
    code = source.Source(source.clean(request["program"]))
    return sweep.sweep(code, request["operator"], request["siblings"], request["most"])


OPERATIONS = {
    f.__name__: f
    for f in (normalise, outline, mutants_of, with_options, reductions_of, reduced, plain, variants_of, sweep_of)
}
# About the sources of this interpreter's torch; these requests have no program.
READING = {f.__name__: f for f in (reading.source_files, reading.source_units, reading.source_promises)}


def explain(error: BaseException) -> dict[str, Any]:
    """An error in a form fit for display: one line, with the line number in the program if known."""
    if isinstance(error, SyntaxError):
        line = error.lineno or 0
        return {"message": f"line {line}: {error.msg}" if line else str(error.msg), "line": line}
    if isinstance(error, (RecursionError, MemoryError)):
        return {"message": "nested too deeply", "line": 0}
    if isinstance(error, TimeoutError):
        return {"message": "took too long to analyse", "line": 0}
    text = " ".join(str(error).split())[:300]
    return {"message": text or type(error).__name__, "line": 0}


def operation_of(request: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    name = str(request.get("op"))
    if name in READING:
        return READING[name]
    if name not in OPERATIONS:
        raise ValueError(f"unknown operation {request.get('op')!r}")
    program = request.get("program")
    if not isinstance(program, str):
        raise TypeError("program must be a string")
    if len(program) > PROGRAM_CAP:
        raise ValueError(f"the program has {len(program)} characters, more than {PROGRAM_CAP}")
    return OPERATIONS[name]


def serve(line: bytes) -> dict[str, Any]:
    """The answer to one request line, whatever it holds."""
    identifier: Any = None
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            raise TypeError("a request must be an object")
        identifier = request.get("id")
        operation = operation_of(request)
        signal.setitimer(signal.ITIMER_REAL, SECONDS_CAP)
        try:
            return {"id": identifier, "ok": operation(request)}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Exception as error:  # whatever a program's text provokes is an answer; the process goes on
        return {"id": identifier, "error": explain(error)}


def on_alarm(_signal: int, _frame: object) -> None:
    raise TimeoutError


def hide() -> None:
    """No program that runs as this user can read or write this process's memory (proc(5))."""
    set_dumpable = 4
    with contextlib.suppress(ImportError, AttributeError):  # a Python without ctypes, another C library
        import ctypes

        ctypes.CDLL(None).prctl(set_dumpable, 0, 0, 0, 0)


def main() -> None:
    hide()
    signal.signal(signal.SIGALRM, on_alarm)
    incoming = os.fdopen(int(os.environ.get("PARITYD_IN", "0")), "rb")
    outgoing = os.fdopen(int(os.environ.get("PARITYD_OUT", "1")), "wb")
    while line := incoming.readline(LINE_CAP):
        if not line.endswith(b"\n") and len(line) >= LINE_CAP:
            break  # the next line boundary cannot be found: the client starts a new process
        answer = json.dumps(serve(line)).encode("ascii")
        outgoing.write(answer + b"\n")
        outgoing.flush()


if __name__ == "__main__":
    main()
