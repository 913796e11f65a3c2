"""A program of ours from a laid-out script: a class Model around what is compiled, get_inputs with what it is called
with, OPTIONS with how."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

import carried
import compiles
import settled
from calling import NotUnderstood
from flow import MOST_PASSES, CompiledCall, Flow
from leads import is_module_class
from names import bound, loaded
from script import SAME_MODEL
from slices import Slices, in_blocks, root_of
from source import FUNCTIONS, Source, docstring_of, dotted
from toplevel import constant_like, free_names

RESERVED = {
    "forward",
    "train",
    "eval",
    "training",
    "half",
    "float",
    "double",
    "type",
    "to",
    "cpu",
    "cuda",
    "apply",
    "call",
}
RESERVED |= {
    "parameters",
    "buffers",
    "modules",
    "children",
    "compile",
    "named_parameters",
    "state_dict",
    "dump_patches",
}
MOST_TARGETS = 4
SAME_CALLS = 3  # the third is the first that replays a recorded graph


@dataclass
class Use:
    """One compiled thing and the calls of it that are carried over."""

    calls: list[CompiledCall]
    target: ast.expr
    parameters: list[str] = field(default_factory=list)
    call_text: str = ""
    initial: list[int] = field(default_factory=list)  # steps that make what is called


@dataclass
class Given:
    """Inputs of one call: expressions, and the step before which they are what they are."""

    values: list[ast.expr]
    at: int
    steps: list[int] = field(default_factory=list)

    def names(self) -> set[str]:
        return set().union(*(loaded(value) for value in self.values), set())

    def text(self) -> str:
        return f"[{', '.join(map(ast.unparse, self.values))}]"


class Wrapper:
    """All that is known of a script; program() is what it comes to."""

    def __init__(self, code: Source, flow: Flow) -> None:
        self.code, self.flow = code, flow
        self.slices = Slices(flow)
        self.uses = self.grouped()
        self.calls = sorted((call for use in self.uses for call in use.calls), key=lambda call: call.at)
        self.settings = settled.of(flow, self.calls)
        self.module_defs = {n.name: n for n in code.tree.body if isinstance(n, (ast.ClassDef, *FUNCTIONS))}
        self.shapes()
        self.rounds = self.inputs_of_rounds()
        self.find_statements()

    # ---- what is compiled

    def grouped(self) -> list[Use]:
        """The compiled things, told apart by what their names hold when they are called."""
        uses: dict[str, Use] = {}
        for call in self.flow.calls:
            target = self.resolved(call)
            steps = self.slices.needed(loaded(target), call.at, set())
            binding = [self.flow.steps[n] for n in steps if not isinstance(self.flow.steps[n].node, ast.Expr)]
            made = in_blocks(binding, "")
            use = uses.setdefault(f"{ast.unparse(target)} {shape_of(call.call)} {made}", Use([], target))
            if len(use.calls) < MOST_PASSES:
                use.calls.append(call)
        found = list(uses.values())
        if len(found) > 1:
            self.note_several(found)
        return found[:MOST_TARGETS]

    def note_several(self, found: list[Use]) -> None:
        shown = [f"{ast.unparse(use.target)} (line {use.calls[0].line})" for use in found]
        self.flow.notes.append(f"{', '.join(shown[:MOST_TARGETS])}: compiled together, one call of each")
        if len(found) > MOST_TARGETS:
            self.flow.notes.append(f"left out {', '.join(shown[MOST_TARGETS:])}")
        for use in found:
            del use.calls[1:]

    def resolved(self, call: CompiledCall) -> ast.expr:
        """What is called, behind names that only stand for others."""
        target, at = call.call.func, call.at
        while isinstance(target, ast.Name):
            binds = [n for n in range(at) if target.id in bound(self.flow.steps[n].node)]
            node = self.flow.steps[binds[-1]].node if binds else None
            value = node.value if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else None
            if not isinstance(value, (ast.Name, ast.Attribute)):
                break
            target, at = value, binds[-1]
        return target

    # ---- calls and inputs

    def shapes(self) -> None:
        """For each use the parameters of forward and the text of the call in it."""
        taken: set[str] = set(self.module_defs)
        for use in self.uses:
            pieces = []
            first = use.calls[0].call
            for index, argument in enumerate(first.args):
                starred = isinstance(argument, ast.Starred)
                value = argument.value if starred else argument
                others = [c.call.args[index] for c in use.calls]
                pieces.append(("*" if starred else "") + self.piece(use, value, others, taken))
            for index, keyword in enumerate(first.keywords):
                others = [c.call.keywords[index].value for c in use.calls]
                start = f"{keyword.arg}=" if keyword.arg else "**"
                pieces.append(start + self.piece(use, keyword.value, others, taken))
            use.call_text = f"({', '.join(pieces)})"

    def piece(self, use: Use, value: ast.expr, others: list[ast.expr], taken: set[str]) -> str:
        """How forward's body gives an argument: a constant stays, anything else is a parameter."""
        same = len({ast.unparse(other) for other in others}) == 1
        if same and self.is_fixed(value):
            return ast.unparse(value)
        name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else "x"
        fresh, number = name, 1
        while fresh in taken or fresh in ("self", "torch") or fresh in self.flow.functions:
            number += 1
            fresh = f"{name}{number}"
        taken.add(fresh)
        use.parameters.append(fresh)
        return fresh

    def is_fixed(self, value: ast.expr) -> bool:
        """Constants, functions and classes stay in the call's text."""
        return is_constant(value) or (isinstance(value, ast.Name) and value.id in self.module_defs)

    def inputs_of_rounds(self) -> list[list[Given]]:
        """For each call of the harness what every use is given."""
        return [
            [self.given_to(use, min(number, len(use.calls) - 1)) for use in self.uses]
            for number in range(max(len(use.calls) for use in self.uses))
        ]

    def given_to(self, use: Use, number: int) -> Given:
        every = [arguments_in(call.call) for call in use.calls]
        values = []
        for index, value in enumerate(every[number]):
            texts = {ast.unparse(arguments[index]) for arguments in every}
            if not (self.is_fixed(every[0][index]) and len(texts) == 1):
                values.append(value.value if isinstance(value, ast.Starred) else value)
        return Given(values, use.calls[number].at)

    # ---- statements

    def find_statements(self) -> None:
        """Those of the module, of the constructor and of get_inputs: what functions read must stand in the module."""
        first = self.calls[0].at
        kept = set(self.settings.kept)
        self.prologue: list[int] = sorted(kept)
        known: set[str] = set()
        for _ in range(MOST_PASSES):
            roots = set().union(*(loaded(use.target) for use in self.uses))
            for use in self.uses:
                use.initial = self.slices.needed(loaded(use.target), use.calls[0].at, known)
            self.initial = sorted({n for use in self.uses for n in use.initial})
            every = [given for round_ in self.rounds for given in round_]
            for given in every:
                given.steps = self.slices.needed(given.names(), given.at, known)
            self.given = sorted({n for given in every for n in given.steps})
            numbers = {*self.initial, *self.given, *self.prologue}
            names = roots.union(*(loaded(self.flow.steps[n].node) for n in numbers), *(g.names() for g in every))
            self.definitions = self.reachable(names)
            stepped = set().union(*(bound(s.node) for s in self.flow.steps), set()) - set(self.module_defs)
            read = set().union(*(free_names(self.module_defs[n]) for n in self.definitions), set())
            globals_ = {name for name in read & stepped if not self.is_local(name)}
            kept_names = set().union(*(loaded(self.flow.steps[n].node) for n in kept), set()) & stepped
            prologue = sorted({*kept, *self.slices.needed(globals_ | kept_names, first, set())})
            now = set().union(*(bound(self.flow.steps[n].node) for n in prologue), set())
            if prologue == self.prologue and now == known:
                break
            self.prologue, known = prologue, now
        self.known = known

    def is_local(self, name: str) -> bool:
        """Bound only within functions that were laid out."""
        tops = [s.top for s in self.flow.steps if name in bound(s.node)]
        return all(isinstance(top, (*FUNCTIONS, ast.ClassDef)) for top in tops)

    def reachable(self, names: set[str]) -> set[str]:
        found: set[str] = set()
        waiting = names & set(self.module_defs)
        while waiting:
            name = waiting.pop()
            found.add(name)
            node = self.module_defs[name]
            inside = free_names(node) | {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            waiting |= (inside & set(self.module_defs)) - found
        return found

    def is_plain(self) -> bool:
        """One instance of a module class as it was made, called the same way throughout, with nothing around it: such a
        class can be Model itself."""
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

    # ---- text

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
        """What the constructor holds for a use, if anything, and how forward reaches the called thing."""
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

    def initial_names(self) -> set[str]:
        return set().union(*(bound(self.flow.steps[n].node) for n in self.initial), set())

    def registered(self, value: str, attribute: str) -> str:
        """Lines for modules and parameters of an object that is no module."""
        owner = self.flow.classes.get(self.flow.instances.get(value, ""))
        if owner is None or is_module_class(owner, self.flow.classes) or not self.holds_modules(owner):
            return ""
        lines = ""
        for kind, holder in (("Module", "ModuleList"), ("Parameter", "ParameterList")):
            found = f"v for v in vars({value}).values() if isinstance(v, torch.nn.{kind})"
            lines += f"        self.{attribute}_{kind.lower()}s = torch.nn.{holder}({found})\n"
        return lines

    def holds_modules(self, owner: ast.ClassDef) -> bool:
        return "Parameter(" in ast.unparse(owner) or any(self.makes_module(node) for node in ast.walk(owner))

    def read_modules(self, taken: set[str]) -> str:
        """Lines for modules that functions read from around them."""
        lines = ""
        for number in self.prologue:
            node = self.flow.steps[number].node
            for target in node.targets if isinstance(node, ast.Assign) and self.makes_module(node.value) else ():
                if isinstance(target, ast.Name) and target.id not in taken:
                    lines += f"        self.{'the_' if target.id in RESERVED else ''}{target.id} = {target.id}\n"
        return lines

    def makes_module(self, value: ast.expr | None) -> bool:
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SAME_MODEL:
            value = value.func.value
        if not isinstance(value, ast.Call):
            return False
        name = dotted(value.func)
        last = name.rpartition(".")[2]
        own = self.flow.classes.get(name)
        if own is not None:
            return is_module_class(own, self.flow.classes)
        return name.startswith(("nn.", "torch.nn.")) and last[:1].isupper() and last not in ("Parameter", "Buffer")

    def inputs_text(self) -> str:
        first = self.round_text(self.rounds[0], "    ")
        others = ""
        for number, round_ in enumerate(self.rounds[1:], 2):
            if self.round_text(round_, "    ") != first:
                others += f"    if scale == {number}:\n{self.round_text(round_, '        ')}"
        return f"def get_inputs({'scale=1' if others else ''}):\n{others}{first}"

    def round_text(self, round_: list[Given], indent: str) -> str:
        """Statements in their order; what one use is given is kept before the next one's names are bound."""
        text, done = "", -1
        numbers = sorted({n for given in round_ for n in given.steps})
        names = []
        for index, given in enumerate(round_):
            text += in_blocks([self.flow.steps[n] for n in numbers if done < n < given.at], indent)
            done = given.at - 1
            names.append(f"given{index + 1}")
            if len(round_) > 1:
                text += f"{indent}{names[-1]} = {given.text()}\n"
        returned = round_[0].text() if len(round_) == 1 else f"[{', '.join('*' + name for name in names)}]"
        return text + f"{indent}return {returned}\n"

    # ---- options

    def options(self) -> dict[str, Any]:
        found = dict(self.settings.options)
        if len(self.rounds) > 1:
            same = len({self.round_text(round_, "") for round_ in self.rounds}) == 1
            found["calls"] = min(len(self.rounds), SAME_CALLS) if same else len(self.rounds)
        if self.is_training():
            found = {"train": True, **found}
        if not self.flow.compiles and not found.get("backward"):
            found.pop("grad", None)  # a script that compiles nothing leaves to us how it runs
        names = [ast.unparse(value) for given in self.rounds[0] for value in given.values]
        for tensor, dimension, line in self.settings.marks:
            text = ast.unparse(tensor)
            if text not in names or not isinstance(dimension, int):
                raise NotUnderstood(line, f"mark_dynamic of {text}, which is no argument of the compiled call")
            found.setdefault("mark_dynamic", []).append([names.index(text), dimension])
        self.note_left_out()
        return found

    def is_training(self) -> bool:
        """Modules train until they are told otherwise."""
        steps = [self.flow.steps[n].node for n in {*self.initial, *self.prologue}]
        trees = [*steps, *(use.target for use in self.uses)]
        if not any(self.makes_module(n) for tree in trees for n in ast.walk(tree)):
            made = [
                self.flow.classes.get(dotted(n.func)) for t in trees for n in ast.walk(t) if isinstance(n, ast.Call)
            ]
            if not any(self.holds_modules(owner) for owner in made if owner is not None):
                return False
        training = self.flow.compiles
        for number in range(self.calls[0].at):
            for call in ast.walk(self.flow.steps[number].node):
                if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                    continue
                if call.func.attr in ("train", "eval"):
                    training = self.switched(call, training, number)
        return training

    def switched(self, call: ast.Call, training: bool, number: int) -> bool:
        given = [*call.args, *(k.value for k in call.keywords)]
        mode = call.func.attr == "train" and all(self.flow.constant(value) for value in given)
        receiver = call.func.value
        part = isinstance(receiver, ast.Attribute) and root_of(receiver) in self.initial_names()
        if part and mode != training and ast.unparse(receiver) not in [ast.unparse(use.target) for use in self.uses]:
            line = self.flow.steps[number].line
            raise NotUnderstood(line, f"`{ast.unparse(call)}` sets the mode of a part of the model")
        return mode

    def note_left_out(self) -> None:
        """Calls for their effect on what is carried over that are not carried over themselves."""
        used = {*self.initial, *self.prologue, *self.given}
        names = set().union(*(bound(self.flow.steps[n].node) for n in used), set())
        for number, step in enumerate(self.flow.steps[: self.calls[-1].at]):
            call = step.node.value if isinstance(step.node, ast.Expr) else None
            if number in used or not isinstance(call, ast.Call) or carried.is_harmless(step.node):
                continue
            steps_on = isinstance(call.func, ast.Attribute) and call.func.attr == "step"
            if steps_on or (self.slices.touched[number] & names and not settled.backward_in(step.node)):
                self.flow.notes.append(f"line {step.line}: left out `{ast.unparse(call)[:80]}`")


def is_constant(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
        return True
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return dotted(value).startswith("torch.")


def arguments_in(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def shape_of(call: ast.Call) -> tuple[Any, ...]:
    """What two calls must have in common to be two calls of one forward."""
    return tuple(type(a) is ast.Starred for a in call.args), tuple(k.arg for k in call.keywords)


def is_used(alias: ast.alias, used: set[str], plain: bool) -> bool:
    """`import torch._dynamo.config` makes attributes of torch."""
    name = (alias.asname or alias.name).split(".")[0]
    return name in used or (plain and name == "torch" and alias.asname is None)


def import_text(node: ast.Import | ast.ImportFrom, used: set[str]) -> str:
    """Without names that nothing uses: their packages need not be there."""
    root = (getattr(node, "module", None) or node.names[0].name).split(".")[0]
    plain = isinstance(node, ast.Import)
    kept = [a for a in node.names if is_used(a, used, plain) or a.name == "*" or root == "__future__"]
    if not kept:
        return ""
    node = ast.Import(kept) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, kept, node.level)
    return ast.unparse(node)


def wrap(code: Source, wrapper: Wrapper, done: list[str]) -> Source:
    """The program of ours that a script comes to. Throws NotUnderstood, with the line."""
    text = wrapper.program()
    if "Model" in wrapper.module_defs:
        text = with_other_name(text)
    what = ", ".join(dict.fromkeys(ast.unparse(use.target) for use in wrapper.uses))
    lines = ", ".join(dict.fromkeys(str(call.line) for call in wrapper.calls))
    done.append(f"made Model around {what}, as called in line {lines}")
    return Source(text)


def with_other_name(text: str) -> str:
    """The script's own class Model becomes ScriptModel."""
    tree = ast.parse(text)
    own = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Model"]
    if len(own) < 2:
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "Model":
            node.id = "ScriptModel"
    own[0].name = "ScriptModel"
    return ast.unparse(tree) + "\n"
