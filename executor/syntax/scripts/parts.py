"""Where the statements of a laid-out script go: into the module, the constructor of Model or get_inputs."""

from __future__ import annotations

import ast

import settled
from flow import MOST_PASSES, Flow
from leads import is_module_class
from names import bound, loaded
from script import SAME_MODEL
from source import FUNCTIONS, Source, dotted
from toplevel import free_names
from uses import Uses


class Parts(Uses):
    def __init__(self, code: Source, flow: Flow) -> None:
        super().__init__(code, flow)
        self.settings = settled.of(flow, self.calls)
        self.find_statements()

    def find_statements(self) -> None:
        """Divides them between the module, the constructor and get_inputs: what functions read must be in the
        module."""
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
        """Whether it is bound only within functions that were laid out."""
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

    def initial_names(self) -> set[str]:
        return set().union(*(bound(self.flow.steps[n].node) for n in self.initial), set())

    def holds_modules(self, owner: ast.ClassDef) -> bool:
        return "Parameter(" in ast.unparse(owner) or any(self.makes_module(node) for node in ast.walk(owner))

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
