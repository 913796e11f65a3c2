"""Tools that report what Dynamo captured and how long compilation took."""

import glob
import importlib.util
import io
import os
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from inspect_missing import NotInTorch

if TYPE_CHECKING:
    from inspect_subject import Observed, Subject


def graph_breaks(subject: "Subject") -> None:
    explained: list[Any] = []

    def target(_: "Observed", model: torch.nn.Module) -> Callable[..., Any]:
        def call(*positional: Any, **named: Any) -> Any:
            explained.append(torch._dynamo.explain(model)(*positional, **named))
            return model(*positional, **named)

        return call

    subject.run("dynamo_eager", target=target)
    subject.text.write("".join(_explained(number, one) for number, one in enumerate(explained, 1)))


def _explained(number: int, told: Any) -> str:
    text = io.StringIO()
    print(f"call {number}: {told.graph_count} graphs, {told.graph_break_count} breaks, {told.op_count} ops", file=text)
    for index, reason in enumerate(told.break_reasons, 1):
        print(f"break {index}: {reason.reason}", file=text)
        text.writelines("  " + line for line in traceback.format_list(reason.user_stack))
    for index, operators in enumerate(told.ops_per_graph or [], 1):
        print(f"graph {index}:", *(f"  {_operator(operator)}" for operator in operators), sep="\n", file=text)
    return text.getvalue()


def _operator(operator: Any) -> str:
    return getattr(operator, "__name__", None) or str(operator)


def compile_times(subject: "Subject") -> None:
    utils = torch._dynamo.utils
    utils.clear_compilation_metrics()
    utils.compilation_time_metrics.clear()  # time spent on priming is not the program's
    subject.run()
    subject.text.write(utils.compile_times(repr="str", aggregate=False) + "\n")
    for entry in utils.get_compilation_metrics():
        seconds = getattr(entry, "entire_frame_compile_time_s", None)
        backend = getattr(entry, "backend_compile_time_s", None)
        subject.text.write(
            f"{entry.co_name} ({entry.co_filename}:{entry.co_firstlineno}): {seconds} s, in the backend {backend} s\n"
        )


def replay(subject: "Subject") -> None:
    import torch._dynamo.config as dynamo

    if not hasattr(torch._dynamo, "replay") or not hasattr(dynamo, "replay_record_enabled"):
        raise NotInTorch("minify-dynamo", "record and replay is gone")
    if importlib.util.find_spec("dill") is None:
        raise NotInTorch("minify-dynamo", "record and replay needs the package dill, which this Python lacks")
    folder = os.path.join(subject.folder, "debug")
    subject.run(settings={"dynamo": {"replay_record_enabled": True, "debug_dir_root": folder}})
    records = sorted(glob.glob(os.path.join(folder, "**", "*.rec"), recursive=True))
    if not records:
        subject.text.write("no frame failed while it was captured: nothing was recorded\n")
    for record in records:
        subject.text.write(f"replay of {os.path.basename(record)}\n")
        try:
            torch._dynamo.replay(record)
            subject.text.write("captured without an error\n")
        except Exception:
            subject.text.write(traceback.format_exc())
