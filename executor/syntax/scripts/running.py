"""How a laid-out script runs what it compiles, as OPTIONS."""

from __future__ import annotations

import ast
from typing import Any

import carried
import settled
from calling import NotUnderstood
from names import bound
from parts import Parts
from slices import in_blocks, root_of
from source import dotted
from uses import Given

SAME_CALLS = 3  # the third is the first that replays a recorded graph


class Running(Parts):
    def options(self) -> dict[str, Any]:
        found = dict(self.settings.options)
        if len(self.rounds) > 1:
            same = len({self.round_text(round_, "") for round_ in self.rounds}) == 1
            found["calls"] = min(len(self.rounds), SAME_CALLS) if same else len(self.rounds)
        if self.is_training():
            found = {"train": True, **found}
        if not self.flow.compiles and not found.get("backward"):
            found.pop("grad", None)  # a script that compiles nothing leaves it to us how it runs
        names = [ast.unparse(value) for given in self.rounds[0] for value in given.values]
        for option, tensor, dimension, line in self.settings.marks:
            text = ast.unparse(tensor)
            if text not in names or not isinstance(dimension, int):
                raise NotUnderstood(line, f"{option} of {text}, which is not an argument of the compiled call")
            found.setdefault(option, []).append([names.index(text), dimension])
        self.note_left_out()
        return found

    def is_training(self) -> bool:
        """Modules are in training mode until told otherwise."""
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
        """Notes calls for their effect on carried-over objects that are not carried over themselves."""
        used = {*self.initial, *self.prologue, *self.given}
        names = set().union(*(bound(self.flow.steps[n].node) for n in used), set())
        for number, step in enumerate(self.flow.steps[: self.calls[-1].at]):
            call = step.node.value if isinstance(step.node, ast.Expr) else None
            if number in used or not isinstance(call, ast.Call) or carried.is_harmless(step.node):
                continue
            steps_on = isinstance(call.func, ast.Attribute) and call.func.attr == "step"
            if steps_on or (self.slices.touched[number] & names and not settled.backward_in(step.node)):
                self.flow.notes.append(f"line {step.line}: left out `{ast.unparse(call)[:80]}`")

    def round_text(self, round_: list[Given], indent: str) -> str:
        """Statements in order; the arguments of one use are kept before the next one's names are bound."""
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
