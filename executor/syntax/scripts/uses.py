"""The compiled things of a laid-out script: which calls call the same thing, and the arguments of each call."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from flow import MOST_PASSES, CompiledCall, Flow
from names import bound, loaded
from slices import Slices, in_blocks
from source import FUNCTIONS, Source, dotted

MOST_TARGETS = 4


@dataclass
class Use:
    """One compiled thing and the calls of it that are carried over."""

    calls: list[CompiledCall]
    target: ast.expr
    parameters: list[str] = field(default_factory=list)
    call_text: str = ""
    initial: list[int] = field(default_factory=list)  # steps that make the called object


@dataclass
class Given:
    """Inputs of one call: expressions, and the step before which they have these values."""

    values: list[ast.expr]
    at: int
    steps: list[int] = field(default_factory=list)

    def names(self) -> set[str]:
        return set().union(*(loaded(value) for value in self.values), set())

    def text(self) -> str:
        return f"[{', '.join(map(ast.unparse, self.values))}]"


class Uses:
    def __init__(self, code: Source, flow: Flow) -> None:
        self.code, self.flow = code, flow
        self.slices = Slices(flow)
        self.module_defs = {n.name: n for n in code.tree.body if isinstance(n, (ast.ClassDef, *FUNCTIONS))}
        self.uses = self.grouped()
        self.calls = sorted((call for use in self.uses for call in use.calls), key=lambda call: call.at)
        self.shapes()
        self.rounds = self.inputs_of_rounds()

    def grouped(self) -> list[Use]:
        """The compiled things, distinguished by what their names hold when they are called."""
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
        """The called expression, with mere aliases resolved."""
        target, at = call.call.func, call.at
        while isinstance(target, ast.Name):
            binds = [n for n in range(at) if target.id in bound(self.flow.steps[n].node)]
            node = self.flow.steps[binds[-1]].node if binds else None
            value = node.value if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else None
            if not isinstance(value, (ast.Name, ast.Attribute)):
                break
            target, at = value, binds[-1]
        return target

    def shapes(self) -> None:
        """For each use, forward's parameters and the text of the call in it."""
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
        """How forward's body passes an argument: a constant stays, anything else becomes a parameter."""
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
        """For each call by the harness, the inputs of every use."""
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


def is_constant(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
        return True
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return dotted(value).startswith("torch.")


def arguments_in(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def shape_of(call: ast.Call) -> tuple[Any, ...]:
    """What two calls must have in common to be calls of one forward."""
    return tuple(type(a) is ast.Starred for a in call.args), tuple(k.arg for k in call.keywords)
