"""A program of torchfuzz in parityd's form: the same function, what its arguments are made of, how it is compiled.

torchfuzz_program.py PROGRAM.py
"""

import ast
import builtins
import pathlib
import sys
from typing import Any

FUNCTION = "fuzzed_program"
CONFIGS = {f"torch._{part}.config": f"{part}_config" for part in ("dynamo", "functorch", "inductor")}


def converted(text: str) -> str:
    """Raises ValueError, which says what the program has that parityd's form has no place for."""
    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        raise ValueError(f"no Python: {error}") from error
    at = next((i for i, node in enumerate(body) if isinstance(node, ast.FunctionDef) and node.name == FUNCTION), None)
    if at is None:
        raise ValueError(f"no function {FUNCTION}")
    function, rest = body[at], body[at + 1 :]
    ends = next((i for i, node in enumerate(rest) if target_of(node) == "args"), None)
    if ends is None or not isinstance(rest[ends].value, ast.Tuple):
        raise ValueError("no tuple args")
    # Its sentinel requires a gradient: it compiles with gradients enabled.
    options: dict[str, Any] = {"grad": True, **ways(rest[ends + 1 :])}
    top, seeds = [], []
    for node in body[:at]:
        called = ast.unparse(node.value.func) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else ""
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            top.append(node)
        elif called == "torch.manual_seed":
            seeds.append(node)
        elif called == "torch.set_default_device":
            # What the function makes lies there. A program of parityd's makes its tensors on the CPU.
            top += [node] if "'cpu'" not in ast.unparse(node) else []
        else:
            add_setting(options, node)
    if unknown := free_names(function) - names_of(top):
        raise ValueError(f"the function reads {', '.join(sorted(unknown))}")
    parameters = ", ".join(argument.arg for argument in function.args.args)
    made = [*seeds, *rest[:ends]]
    given = ", ".join(map(ast.unparse, rest[ends].value.elts))
    return "\n".join(
        [
            *(ast.unparse(node) for node in top),
            f"\nOPTIONS = {options}\n\n",
            as_written(text, function),
            "\n\nclass Model(torch.nn.Module):",
            f"    def forward(self, {parameters}):",
            f"        return {FUNCTION}({parameters})",
            "\n\ndef get_inputs():",
            *(f"    {line}" for node in made for line in ast.unparse(node).splitlines()),
            f"    return [{given}]\n",
        ]
    )


def target_of(node: ast.stmt) -> str:
    return ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) and len(node.targets) == 1 else ""


def as_written(text: str, node: ast.stmt) -> str:
    return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])


def ways(checks: list[ast.stmt]) -> dict[str, bool]:
    """How it is compiled, and whether it goes backward."""
    calls = [node for check in checks for node in ast.walk(check) if isinstance(node, ast.Call)]
    found = [node for node in calls if ast.unparse(node.func) == "torch.compile"]
    if len(found) != 1:
        raise ValueError(f"torch.compile is called {len(found)} times")
    given = {keyword.arg: keyword.value for keyword in found[0].keywords}
    if strange := [str(name) for name in given if name not in ("fullgraph", "dynamic")]:
        raise ValueError(f"torch.compile is given {', '.join(strange)}")
    backward = any(isinstance(node.func, ast.Attribute) and node.func.attr == "backward" for node in calls)
    flags = {name: ast.literal_eval(value) for name, value in given.items()}
    return {**{name: True for name, flag in flags.items() if flag}, **({"backward": True} if backward else {})}


def add_setting(options: dict[str, Any], node: ast.stmt) -> None:
    where = target_of(node)
    for config, option in CONFIGS.items():
        if where.startswith(f"{config}."):
            options.setdefault(option, {})[where.removeprefix(f"{config}.")] = ast.literal_eval(node.value)
            return
    raise ValueError(f"line {node.lineno}: {ast.unparse(node)}")


def free_names(function: ast.FunctionDef) -> set[str]:
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    return {node.id for node in names} - bound - set(dir(builtins))


def names_of(top: list[ast.stmt]) -> set[str]:
    aliases = [alias for node in top if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names]
    return {(alias.asname or alias.name).split(".")[0] for alias in aliases}


def main() -> int:
    try:
        print(converted(pathlib.Path(sys.argv[1]).read_text()), end="")
    except ValueError as error:
        print(f"not converted: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
