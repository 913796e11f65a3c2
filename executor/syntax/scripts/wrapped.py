"""A program in our form from a laid-out script: a class Model around what is compiled, get_inputs for its arguments,
OPTIONS for how it is compiled and run."""

from __future__ import annotations

import ast

import carried
import compiles
import settled
from leads import is_module_class
from names import bound, loaded
from running import Running
from slices import in_blocks
from source import FUNCTIONS, Source, docstring_of, dotted, words
from toplevel import constant_like
from uses import Use

RESERVED = words("forward train eval training half float double type to cpu cuda apply call parameters buffers modules")
RESERVED |= words("children compile named_parameters state_dict dump_patches")  # attributes of every module


class Wrapper(Running):
    """Everything known about a script; program() is the result."""

    def is_plain(self) -> bool:
        """Whether there is one unmodified instance of a module class, called the same way throughout, with nothing
        around it: such a class can itself be Model."""
        use = self.uses[0]
        made = [self.flow.steps[n] for n in self.initial if not settled.is_seed(self.flow.steps[n].node)]
        if len(self.uses) > 1 or len(self.rounds) > 1 or not isinstance(use.target, ast.Name) or len(made) != 1:
            return False
        if any(made[0].within) or any(self.flow.compilers.mentioned(self.module_defs[n]) for n in self.definitions):
            return False
        value = made[0].node.value if isinstance(made[0].node, ast.Assign) else None
        while (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in ("eval", "train")
        ):
            value = value.func.value
        owner = self.flow.classes.get(dotted(value.func)) if isinstance(value, ast.Call) else None
        constants = all(self.is_constant_step(n) for n in self.prologue if n not in self.settings.kept)
        return owner is not None and is_module_class(owner, self.flow.classes) and constants

    def is_constant_step(self, number: int) -> bool:
        node = self.flow.steps[number].node
        return isinstance(node, ast.Assign) and constant_like(node.value)

    def program(self) -> str:
        model = self.model_text()
        inputs = self.inputs_text()
        options = self.options()
        used = loaded(ast.parse(model + inputs)).union(
            *(loaded(self.flow.steps[n].node) for n in self.prologue),
            *(loaded(self.module_defs[n]) for n in self.definitions),
        )
        used |= {n.id for name in self.definitions for n in ast.walk(self.module_defs[name]) if isinstance(n, ast.Name)}
        text = self.module_text(used)
        ending = f"\n\nOPTIONS = {options!r}\n" if options else ""
        return f"{text}\n\n{model}\n\n{inputs}{ending}"

    def module_text(self, used: set[str]) -> str:
        pieces = []
        done: set[int] = set()
        for node in self.code.tree.body:
            if node is docstring_of(self.code.tree):
                pieces.append(self.code.segment(node))
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                pieces.append(import_text(node, used))
            elif isinstance(node, (ast.ClassDef, *FUNCTIONS)) and node.name in self.definitions:
                pieces.append("\n" + self.definition(node) + "\n")
            elif self.is_import(node) and bound(node) & used:
                pieces.append(self.code.segment(node))
            steps = [n for n in self.prologue if self.flow.steps[n].top is node]
            done |= set(steps)
            pieces.append(in_blocks([self.flow.steps[n] for n in steps], "").rstrip("\n"))
        rest = [self.flow.steps[n] for n in self.prologue if n not in done]
        pieces.append(in_blocks(rest, "").rstrip("\n"))
        return "\n".join(piece for piece in pieces if piece)

    @staticmethod
    def is_import(node: ast.stmt) -> bool:
        return isinstance(node, ast.Try) and any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in ast.walk(node))

    def definition(self, node: ast.stmt) -> str:
        if not self.flow.compilers.mentioned(node) and not any(
            carried.patched(d, self.flow.aliases) for d in getattr(node, "decorator_list", [])
        ):
            return self.code.segment(node)
        fresh = ast.parse(self.code.segment(node)).body[0]
        fresh = compiles.uncompiled(fresh, self.flow.compilers)
        fresh.decorator_list = [d for d in fresh.decorator_list if not carried.patched(d, self.flow.aliases)]
        return ast.unparse(fresh)

    def model_text(self) -> str:
        made = ""
        held: dict[str, str] = {}
        bodies = []
        done: set[int] = set()
        for use in self.uses:
            made += in_blocks([self.flow.steps[n] for n in use.initial if n not in done], "        ")
            done |= set(use.initial)
            value, called = self.reached(use, held)
            bodies.append(called + use.call_text)
            if value and held.get(f"{value} {use.initial}") is None:
                attribute = called.removeprefix("self.").partition(".")[0].partition("[")[0]
                held[f"{value} {use.initial}"] = attribute
                made += f"        self.{attribute} = {value}\n" + self.registered(value, attribute)
        made += self.read_modules(set(held.values()))
        start = f"    def __init__(self):\n        super().__init__()\n{made}\n" if made else ""
        parameters = ", ".join(["self", *(name for use in self.uses for name in use.parameters)])
        result = bodies[0] if len(bodies) == 1 else f"({', '.join(bodies)})"
        return f"class Model(torch.nn.Module):\n{start}    def forward({parameters}):\n        return {result}\n"

    def reached(self, use: Use, held: dict[str, str]) -> tuple[str, str]:
        """What the constructor holds for a use, if anything, and how forward reaches the called object."""
        root = use.target
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        text = ast.unparse(use.target)
        if isinstance(root, ast.Name) and (
            root.id in self.module_defs or root.id not in self.initial_names() | self.known
        ):
            return "", text
        value = root.id if isinstance(root, ast.Name) else text
        name = held.get(f"{value} {use.initial}")
        if name is None:
            name = value if isinstance(root, ast.Name) else "target"
            name = f"the_{name}" if name in RESERVED else name
            name += str(len(held) + 1) if name in held.values() else ""
        return value, f"self.{name}" + (text[len(value) :] if isinstance(root, ast.Name) else "")

    def registered(self, value: str, attribute: str) -> str:
        """Lines for modules and parameters of an object that is not a module."""
        owner = self.flow.classes.get(self.flow.instances.get(value, ""))
        if owner is None or is_module_class(owner, self.flow.classes) or not self.holds_modules(owner):
            return ""
        lines = ""
        for kind, holder in (("Module", "ModuleList"), ("Parameter", "ParameterList")):
            found = f"v for v in vars({value}).values() if isinstance(v, torch.nn.{kind})"
            lines += f"        self.{attribute}_{kind.lower()}s = torch.nn.{holder}({found})\n"
        return lines

    def read_modules(self, taken: set[str]) -> str:
        """Lines for modules that functions read from the enclosing scope."""
        lines = ""
        for number in self.prologue:
            node = self.flow.steps[number].node
            for target in node.targets if isinstance(node, ast.Assign) and self.makes_module(node.value) else ():
                if isinstance(target, ast.Name) and target.id not in taken:
                    lines += f"        self.{'the_' if target.id in RESERVED else ''}{target.id} = {target.id}\n"
        return lines

    def inputs_text(self) -> str:
        first = self.round_text(self.rounds[0], "    ")
        others = ""
        for number, round_ in enumerate(self.rounds[1:], 2):
            if self.round_text(round_, "    ") != first:
                others += f"    if scale == {number}:\n{self.round_text(round_, '        ')}"
        return f"def get_inputs({'scale=1' if others else ''}):\n{others}{first}"


def is_used(alias: ast.alias, used: set[str], plain: bool) -> bool:
    """`import torch._dynamo.config` makes attributes of torch."""
    name = (alias.asname or alias.name).split(".")[0]
    return name in used or (plain and name == "torch" and alias.asname is None)


def import_text(node: ast.Import | ast.ImportFrom, used: set[str]) -> str:
    """Without unused names: their packages need not exist."""
    root = (getattr(node, "module", None) or node.names[0].name).split(".")[0]
    plain = isinstance(node, ast.Import)
    kept = [a for a in node.names if is_used(a, used, plain) or a.name == "*" or root == "__future__"]
    if not kept:
        return ""
    node = ast.Import(kept) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, kept, node.level)
    return ast.unparse(node)


def wrap(code: Source, wrapper: Wrapper, done: list[str]) -> Source:
    """The program in our form made from a script. Raises NotUnderstood, with the line."""
    text = wrapper.program()
    if "Model" in wrapper.module_defs:
        text = with_other_name(text)
    what = ", ".join(dict.fromkeys(ast.unparse(use.target) for use in wrapper.uses))
    lines = ", ".join(dict.fromkeys(str(call.line) for call in wrapper.calls))
    done.append(f"made Model around {what}, as called in line {lines}")
    return Source(text)


def with_other_name(text: str) -> str:
    """The script's own class Model is renamed ScriptModel."""
    tree = ast.parse(text)
    own = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Model"]
    if len(own) < 2:
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "Model":
            node.id = "ScriptModel"
    own[0].name = "ScriptModel"
    return ast.unparse(tree) + "\n"
