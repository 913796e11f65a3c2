"""Crosses a program that shows a fault over with one that shows none: the statements of both forwards interleaved,
their inputs side by side, their outputs together. Reduction is measured on it: the fault has to be dug out again.

    crossover.py FAULT.py HOST.md OUT.py [--seed N]
"""

import argparse
import ast
import pathlib
import random
import re
import sys

CONTRACT = ("Model", "get_inputs", "get_init_inputs", "OPTIONS")


class Renamed(ast.NodeTransformer):
    """Every name that a program binds itself, and every attribute that its model sets, under a prefix."""

    def __init__(self, prefix: str, names: set[str], attributes: set[str]) -> None:
        self.prefix, self.names, self.attributes = prefix, names, attributes

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.names:
            node.id = self.prefix + node.id
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        if node.arg in self.names:
            node.arg = self.prefix + node.arg
        node.annotation = None
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self" and node.attr in self.attributes:
            node.attr = self.prefix + node.attr
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        if node.name in self.names:
            node.name = self.prefix + node.name
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        attributes = self.attributes if node.name == "Model" else set()
        own = Renamed(self.prefix, self.names - {"__init__", "forward"}, attributes)
        node.body = [own.generic_visit(part) if isinstance(part, ast.FunctionDef) else part for part in node.body]
        if node.name in self.names:
            node.name = self.prefix + node.name
        return node


class Parts:
    """What a program consists of. Raises ValueError where it is not plain enough to be crossed over."""

    def __init__(self, text: str, prefix: str) -> None:
        tree = ast.parse(text)
        model = self._named(tree, "Model", ast.ClassDef)
        making = self._named(tree, "get_init_inputs", ast.FunctionDef, required=False)
        if making is not None and ast.unparse(making.body[-1]) not in ("return []", "return ()"):
            raise ValueError("its model takes arguments")
        tree.body = [n for n in tree.body if n is not making]
        self.imports = [ast.unparse(n) for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
        imported = {a.asname or a.name.split(".")[0] for n in tree.body if hasattr(n, "names") for a in n.names}
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        names |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
        names |= {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        names -= imported | {"self", *CONTRACT}
        keywords = {k.arg for n in ast.walk(tree) if isinstance(n, ast.Call) for k in n.keywords}
        if names & keywords & {n.arg for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in f.args.args}:
            raise ValueError("its functions are called by keyword")
        self.options = next((ast.unparse(n) for n in tree.body if self._is_options(n)), "")
        attributes = {n.attr for n in ast.walk(model) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
        Renamed(prefix, names, attributes).visit(tree)
        methods = {m.name.removeprefix(prefix): m for m in model.body if isinstance(m, ast.FunctionDef)}
        if set(methods) - {"__init__", "forward"}:
            raise ValueError("its model has other methods")
        self.init = methods["__init__"].body if "__init__" in methods else []
        self.forward = methods["forward"]
        make = self._named(tree, "get_inputs", ast.FunctionDef)
        *self.making, returned = make.body
        *self.body, last = self.forward.body
        if not isinstance(last, ast.Return) or not isinstance(returned, ast.Return):
            raise ValueError("it does not end with return")
        if any(isinstance(n, ast.Return) for s in self.body for n in ast.walk(s)) or make.args.args:
            raise ValueError("it returns early, or its inputs have a scale")
        self.outputs = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
        self.inputs = returned.value
        self.rest = [
            n
            for n in tree.body
            if not isinstance(n, (ast.Import, ast.ImportFrom, ast.Expr))
            and n not in (model, make)
            and not self._is_options(n)
        ]

    @staticmethod
    def _named(tree: ast.Module, name: str, kind: type, required: bool = True) -> ast.AST | None:
        found = next((n for n in tree.body if isinstance(n, kind) and n.name == name), None)
        if found is None and required:
            raise ValueError(f"it has no {name}")
        return found

    @staticmethod
    def _is_options(node: ast.stmt) -> bool:
        return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "OPTIONS" for t in node.targets)


def interleaved(one: list[ast.stmt], other: list[ast.stmt], draw: random.Random) -> list[ast.stmt]:
    order = [0] * len(one) + [1] * len(other)
    draw.shuffle(order)
    sources = [iter(one), iter(other)]
    return [next(sources[which]) for which in order]


def crossed(fault: Parts, host: Parts, draw: random.Random) -> str:
    parameters = [a.arg for part in (host, fault) for a in part.forward.args.args[1:]]
    init = [s for part in (host, fault) for s in part.init if "super()" not in ast.unparse(s)]
    lines = sorted(set(host.imports + fault.imports))
    lines += [ast.unparse(n) for part in (host, fault) for n in part.rest]
    lines += ["class Model(torch.nn.Module):", "    def __init__(self):", "        super().__init__()"]
    lines += ["        " + line for s in init for line in ast.unparse(s).splitlines()]
    lines += [f"    def forward(self, {', '.join(parameters)}):"]
    for statement in interleaved(host.body, fault.body, draw):
        lines += ["        " + line for line in ast.unparse(statement).splitlines()]
    lines += [f"        return ({', '.join(ast.unparse(o) for o in host.outputs + fault.outputs)},)"]
    lines += ["def get_inputs():"]
    lines += ["    " + line for part in (host, fault) for s in part.making for line in ast.unparse(s).splitlines()]
    lines += [f"    return [*{ast.unparse(host.inputs)}, *{ast.unparse(fault.inputs)}]"]
    return "\n".join(["import torch", *lines, fault.options or host.options, ""])


def text_of(path: pathlib.Path) -> str:
    text = path.read_text()
    found = re.search(r"```python\n(.*?)```", text, re.S)
    return found.group(1) if found else text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fault", type=pathlib.Path)
    parser.add_argument("host", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    try:
        fault = Parts(text_of(arguments.fault), "f_")
        host = Parts(text_of(arguments.host), "h_")
    except (ValueError, SyntaxError) as error:
        print(f"crossover: {error}", file=sys.stderr)
        return 1
    arguments.out.write_text(crossed(fault, host, random.Random(arguments.seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
