"""Two programs made into one: their names are kept apart, and the result of the first is passed to the second."""

from __future__ import annotations

import ast
import random

import options
from inputs import inputs_of
from source import FUNCTIONS, Source

LARGEST = 9000  # characters in total
# What the second program's first input becomes, given the first program's first tensor; any of these may turn out not
# to fit.
LINKS = ("{it}", "{it} + {other}.mean()", "{it} * {other}", "torch.maximum({it}, {other})", "{other}", "{other} - {it}")

PROGRAM = """{first}

{second}

def first_tensor(value):
    if isinstance(value, torch.Tensor):
        return value
    return first_tensor(list(value.values())[0] if isinstance(value, dict) else value[0])


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = {model_one}({init_one})
        self.two = {model_two}({init_two})

    def forward(self, {parameters}):
        one = self.one({given_one})
        other = first_tensor(one)
        two = self.two({given_two})
        return one, two


def get_inputs():
    return [*{inputs_one}(), *{inputs_two}()]
"""


def spliced(code: Source, other: Source, dice: random.Random) -> Source | None:
    """None if the two cannot be combined: inputs that are not a plain list, names that cannot be told apart, a step."""
    if len(code.text) + len(other.text) > LARGEST or any(each.is_step for each in (code, other)):
        return None
    taken = {node.id for node in ast.walk(code.tree) if isinstance(node, ast.Name)} | defined(code) | defined(other)
    letters = [letter for letter in "abcdefgh" if not any(name.endswith("_" + letter) for name in taken)]
    if len(letters) < 2:
        return None
    parts = [part(code, "_" + letters[0]), part(other, "_" + letters[1])]
    if None in parts:
        return None
    (first, one), (second, two) = parts
    names_one, names_two = ([f"{letter}{n}" for n in range(len(p))] for letter, p in (("x", one), ("y", two)))
    given_two = list(names_two)
    if given_two:
        given_two[0] = dice.choice(LINKS).format(it=given_two[0], other="other")
    text = PROGRAM.format(
        first=imported(first) + first.rstrip("\n") + "\n",
        second=second.rstrip("\n") + "\n",
        model_one="Model_" + letters[0],
        model_two="Model_" + letters[1],
        init_one=init_of(code, letters[0]),
        init_two=init_of(other, letters[1]),
        parameters=", ".join([*names_one, *names_two]),
        given_one=", ".join(names_one),
        given_two=", ".join(given_two),
        inputs_one="get_inputs_" + letters[0],
        inputs_two="get_inputs_" + letters[1],
    )
    chosen = options.read(code.tree)
    lost = ("fullgraph", "calls", "mark_dynamic", "mark_unbacked")
    kept = {key: value for key, value in (chosen or {}).items() if key not in lost}
    return Source(text + (f"\n\nOPTIONS = {kept!r}\n" if kept else ""))


def imported(text: str) -> str:
    return "" if text.startswith("import torch\n") or "\nimport torch\n" in text else "import torch\n"


def init_of(code: Source, letter: str) -> str:
    return f"*get_init_inputs_{letter}()" if code.function_named("get_init_inputs") else ""


def defined(code: Source) -> set[str]:
    """Names bound at module level except imports, which both programs may share."""
    names: set[str] = set()
    for node in code.tree.body:
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            names.add(node.name)
        elif not isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return names


def part(code: Source, ending: str) -> tuple[str, list[str]] | None:
    """The program's text with `ending` appended to its names, without OPTIONS, and the names of its inputs."""
    inputs = inputs_of(code)
    names = defined(code)
    tree = ast.parse(code.text)
    arguments = {node.arg for node in ast.walk(tree) if isinstance(node, (ast.arg, ast.keyword))}
    if inputs is None or names & arguments or any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in ast.walk(tree)):
        return None
    statement = options.statement(tree)
    tree.body = [node for node in tree.body if node is not statement]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id += ending
        elif isinstance(node, (ast.ClassDef, *FUNCTIONS)) and node.name in names and node in tree.body:
            node.name += ending
    return ast.unparse(tree), list(inputs.elements)
