"""Answers of the syntax process about the sources of a torch, which it reads as text and never imports."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
from typing import Any

import promises
import units
from areas import files_in


def folder_of(request: dict[str, Any]) -> str:
    """Folder of the torch package: as requested, otherwise this interpreter's."""
    if request.get("folder"):
        return str(request["folder"])
    spec = importlib.util.find_spec("torch")  # for a top-level package this imports nothing
    if spec is None or not spec.submodule_search_locations:
        raise ValueError("this Python has no torch")
    return str(list(spec.submodule_search_locations)[0])


def source_files(request: dict[str, Any]) -> dict[str, Any]:
    folder = folder_of(request)
    files = files_in(folder)
    return {"folder": folder, "torch": version_of(folder), "files": files, "fingerprint": fingerprint(folder, files)}


def source_units(request: dict[str, Any]) -> dict[str, Any]:
    folder = folder_of(request)
    with open(os.path.join(folder, request["file"]), encoding="utf-8") as stream:
        return {"units": units.units(folder, request["file"], stream.read())}


def source_promises(request: dict[str, Any]) -> dict[str, Any]:
    return {"promises": promises.promises(folder_of(request), request["operators"])}


def fingerprint(folder: str, files: list[str]) -> str:
    """Shows whether the files are those that were read before, without reading them."""
    digest = hashlib.blake2b(folder.encode("utf-8"), digest_size=16)
    for file in files:
        status = os.stat(os.path.join(folder, file))
        digest.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def version_of(folder: str) -> str:
    with open(os.path.join(folder, "version.py"), encoding="utf-8") as stream:
        for node in ast.parse(stream.read()).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            value = getattr(node, "value", None)
            if isinstance(target, ast.Name) and target.id == "__version__" and isinstance(value, ast.Constant):
                return str(value.value)
    raise ValueError(f"{folder}: version.py contains no version")
