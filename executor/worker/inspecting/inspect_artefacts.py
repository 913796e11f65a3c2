"""Tools whose text is a file of Inductor's debug folder (TORCH_COMPILE_DEBUG): each run writes one folder per graph."""

import glob
import importlib.util
import os
import shutil
from typing import TYPE_CHECKING, Any

from inspect_missing import NotInTorch

if TYPE_CHECKING:
    from inspect_subject import Subject


def fx_readable(subject: "Subject") -> None:
    _show(subject, "fx_graph_readable.py")


def fx_runnable(subject: "Subject") -> None:
    _show(subject, "fx_graph_runnable.py")


def fx_transformed(subject: "Subject") -> None:
    _show(subject, "fx_graph_transformed.py")


def ir_pre(subject: "Subject") -> None:
    _show(subject, "ir_pre_fusion.txt")


def ir_post(subject: "Subject") -> None:
    _show(subject, "ir_post_fusion.txt")


def graph_diagram(subject: "Subject") -> None:
    """Written as DOT text if torch writes that, otherwise as a picture, which requires Graphviz."""
    import torch._inductor.config as inductor

    if importlib.util.find_spec("pydot") is None:
        raise NotInTorch("ir-post", "the diagram needs the package pydot, which this Python lacks")
    settings: dict[str, Any] = {"trace.graph_diagram": True}
    if hasattr(inductor.trace, "graph_diagram_format"):
        settings["trace.graph_diagram_format"] = "dot"
    elif shutil.which("dot") is None:
        raise NotInTorch("ir-post", "the diagram needs Graphviz, which this machine lacks")
    _show(subject, "graph_diagram.*", settings)


def _show(subject: "Subject", name: str, settings: dict[str, Any] | None = None) -> None:
    folder = os.path.join(subject.folder, "debug")
    subject.run(
        settings={"dynamo": {"debug_dir_root": folder}, "inductor": {"trace.enabled": True, **(settings or {})}}
    )
    files = sorted(glob.glob(os.path.join(folder, "**", "torchinductor", "*", name), recursive=True))
    for file in files:
        with open(file, encoding="utf-8", errors="replace") as text:
            subject.text.write(f"-- {os.path.basename(os.path.dirname(file))}/{os.path.basename(file)}\n")
            subject.text.write(without_environment(text.read()) + "\n")
    if not files:
        subject.text.write(f"Inductor wrote no {name}: it did not come that far\n")


def without_environment(script: str) -> str:
    """torch writes this process' own environment into its scripts: folders that no longer exist when someone reads
    them."""
    return "".join(line for line in script.splitlines(keepends=True) if not line.startswith("os.environ["))
