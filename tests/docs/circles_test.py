"""No circles: folders of C++ include each other one way (docs/architecture.md), and so do Python's modules, and folders
of them: circles_test.py ROOT."""

import ast
import graphlib
import pathlib
import re
import sys

FOLDERS = ("agent", "executor", "oracle", "prompts", "store")
MODULES = ("executor/shared", "executor/worker", "executor/syntax")
Graph = dict[str, set[str]]


def includes(root: pathlib.Path) -> Graph:
    graph: Graph = {}
    for folder in FOLDERS:
        for file in (root / folder).rglob("*"):
            if file.suffix not in {".cpp", ".h", ".cu", ".cuh"}:
                continue
            own = str(file.parent.relative_to(root))
            named = re.findall(r'^#include "([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE)
            others = {str(pathlib.PurePath(name).parent) for name in named if (root / name).exists()}
            graph.setdefault(own, set()).update(others - {own})
    return graph


def imports(folder: pathlib.Path) -> Graph:
    """Of type checkers, too. A `main.py` in a subfolder is a program of its own, which nobody imports."""
    graph: Graph = {}
    found = [file for file in folder.rglob("*.py") if file.stem != "main" or file.parent == folder]
    files = {file.stem: file for file in found}
    assert len(files) == len(found), f"{folder}: two modules have one name"
    for name, file in files.items():
        graph[name] = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                graph[name].update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                graph[name].add(node.module)
        graph[name] &= files.keys() - {name}
    return graph


def folders(root: pathlib.Path, graph: Graph) -> Graph:
    """Which of the folders below `root` imports which. What lies beside them begins, and imports any."""
    own = {file.stem: str(file.parent.relative_to(root)) for file in root.rglob("*.py")}
    found: Graph = {}
    for name, others in graph.items():
        found.setdefault(own[name], set()).update({own[other] for other in others} - {own[name], "."})
    return found


def main(root: pathlib.Path) -> int:
    modules = {folder: imports(root / folder) for folder in MODULES}
    parts = {f"folders of {folder}": folders(root / folder, graph) for folder, graph in modules.items()}
    graphs = {"includes": includes(root)} | modules | parts
    wrong = 0
    for what, graph in graphs.items():
        assert graph, f"{what}: nothing found below {root}"
        try:
            graphlib.TopologicalSorter(graph).prepare()
        except graphlib.CycleError as circle:
            print(f"{what}: {' <- '.join(circle.args[1])}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
