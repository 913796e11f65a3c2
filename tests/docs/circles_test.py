"""No circles: folders of C++ include each other one way (docs/architecture.md), and so do Python's modules of a folder:
circles_test.py ROOT."""

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
    """Of type checkers, too."""
    graph: Graph = {}
    files = {file.stem: file for file in folder.glob("*.py")}
    for name, file in files.items():
        graph[name] = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                graph[name].update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                graph[name].add(node.module)
        graph[name] &= files.keys() - {name}
    return graph


def main(root: pathlib.Path) -> int:
    graphs = {"includes": includes(root)} | {folder: imports(root / folder) for folder in MODULES}
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
