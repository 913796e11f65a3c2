"""Where the names of a module of torch come from, as files beside it, read from its imports."""

from __future__ import annotations

import ast
import functools
import os

ROOT = "torch"


class Imports:
    """Names that a module imports: modules by file, and single names from files."""

    def __init__(self, folder: str, file: str, tree: ast.Module) -> None:
        self.folder = folder
        self.modules: dict[str, str] = {}
        self.names: dict[str, tuple[str, str]] = {}
        package = [ROOT, *os.path.dirname(file).split("/")] if "/" in file else [ROOT]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.take_modules(node)
            elif isinstance(node, ast.ImportFrom):
                self.take_names(node, package)

    def take_modules(self, node: ast.Import) -> None:
        for alias in node.names:
            file = module_file(self.folder, alias.name)
            if file and alias.asname:
                self.modules[alias.asname] = file

    def take_names(self, node: ast.ImportFrom, package: list[str]) -> None:
        start = package[: len(package) - node.level + 1] if node.level else []
        origin = ".".join([*start, *([node.module] if node.module else [])])
        file = module_file(self.folder, origin)
        for alias in node.names:
            name = alias.asname or alias.name
            if module := module_file(self.folder, f"{origin}.{alias.name}"):
                self.modules[name] = module
            elif file:
                self.names[name] = (file, alias.name)

    def place(self, name: str) -> tuple[str, str] | None:
        """The file of `f`, `module.f` or `torch._refs.f`, and its name there."""
        if name in self.names:
            return self.names[name]
        owner, _, last = name.rpartition(".")
        file = self.modules.get(owner) or (module_file(self.folder, owner) if owner.startswith(ROOT + ".") else "")
        return (file, last) if file else None


@functools.cache
def module_file(folder: str, module: str) -> str:
    """`_inductor/ir.py` for `torch._inductor.ir`; empty if there is none, or if it is not torch's."""
    parts = module.split(".")
    if parts[0] != ROOT or len(parts) < 2:
        return ""
    path = "/".join(parts[1:])
    for file in (f"{path}.py", f"{path}/__init__.py"):
        if os.path.isfile(os.path.join(folder, file)):
            return file
    return ""
