"""Which statements of a laid-out script a value needs: those that bind its names, and those that change their
objects."""

from __future__ import annotations

import ast

import carried
from flow import Flow, Step
from names import bound, loaded
from source import FUNCTIONS, dotted
from toplevel import changed, free_names

SELF_RETURNING = {
    "data",
    "detach",
    "view",
    "reshape",
    "parameters",
    "named_parameters",
    "modules",
    "state_dict",
    "buffers",
}
SELF_RETURNING |= {
    "named_modules",
    "children",
    "t",
    "T",
    "values",
    "items",
    "unsqueeze",
    "squeeze",
    "expand",
    "eval",
    "train",
}


class Slices:
    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.steps = flow.steps
        self.aliases: dict[str, set[str]] = {}
        self.mutated: dict[str, set[str]] = {}  # for each function of the script: parameters that it changes
        for node in [*(step.node for step in self.steps), *flow.functions.values()]:
            self.note_aliases(node)
        self.touched = [self.touches(step.node) for step in self.steps]

    def note_aliases(self, node: ast.stmt) -> None:
        """`w = net.weight` changes with net."""
        for part in ast.walk(node):
            value = part.value if isinstance(part, ast.Assign) else part.iter if isinstance(part, ast.For) else None
            root = root_of(value) if value is not None else ""
            if root and not (isinstance(part, ast.Assign) and isinstance(value, ast.Name)):
                for name in bound(part.targets[0] if isinstance(part, ast.Assign) else part.target):
                    if name != root:
                        self.aliases.setdefault(name, set()).add(root)

    def touches(self, node: ast.stmt) -> set[str]:
        """Names that a statement binds, or whose objects it may change."""
        names = bound(node)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            return {node.name}
        if carried.is_harmless(node) and not isinstance(node, ast.Delete):
            return names
        changes = changed(node)
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and isinstance(getattr(part, "func", None), ast.Name):
                changes |= self.given_away(part, isinstance(node, ast.Expr) and part is node.value)
        for _ in range(4):
            changes = changes.union(*(self.aliases[name] for name in changes if name in self.aliases))
        return names | changes

    def given_away(self, call: ast.Call, alone: bool) -> set[str]:
        """Arguments that a called function may change."""
        name = call.func.id
        function = self.flow.functions.get(name)
        if function is None:
            if not alone or name in self.flow.instances or name in self.flow.values or name in self.flow.compiled:
                return set()
            return set().union(*(loaded(a) for a in [*call.args, *(k.value for k in call.keywords)]), set())
        if name not in self.mutated:
            self.mutated[name] = set()  # for a function that calls itself
            inner = set().union(*(self.touches(s) for s in function.body), set())
            self.mutated[name] = inner & {a.arg for a in function.args.args}
        given = dict(zip([a.arg for a in function.args.args], call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg}
        return set().union(*(loaded(v) for n, v in given.items() if n in self.mutated[name]), set())

    def needed(self, names: set[str], upto: int, known: set[str]) -> list[int]:
        """Numbers of the needed steps, in order. `known`: names at module level."""
        wanted = names - known
        taken: list[int] = []
        for number in reversed(range(upto)):
            node = self.steps[number].node
            if self.touched[number] & wanted and not settled(node):
                taken.insert(0, number)
                if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets):
                    wanted -= bound(node) - loaded(node.value)
                elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                    wanted.discard(node.name)
                wanted |= (free_names(node) if isinstance(node, FUNCTIONS) else loaded(node)) - known
        if taken:
            seeds = [n for n in range(taken[-1]) if is_seed(self.steps[n].node)]
            # the last call of each function
            before = {dotted(self.steps[n].node.value.func): n for n in seeds if n < taken[0]}
            taken = sorted({*taken, *before.values(), *(n for n in seeds if n > taken[0])})
        return taken


def root_of(node: ast.expr) -> str:
    """The name of the object that an expression is a part or view of."""
    while True:
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SELF_RETURNING:
            node = node.func.value
        else:
            return node.id if isinstance(node, ast.Name) and node.id != "torch" else ""


def settled(node: ast.stmt) -> bool:
    """Settings go into OPTIONS and the module, whatever names they read."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return isinstance(target, ast.Attribute) and dotted(target).startswith("torch.")


def is_seed(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and dotted(node.value.func) in carried.SEEDS


def in_blocks(steps: list[Step], indent: str) -> str:
    """The statements' text, with those inside a context indented under it."""
    lines: list[str] = []
    within: tuple[str, ...] = ()
    for step in steps:
        if step.within != within and step.within:
            lines.append(f"{indent}with {', '.join(step.within)}:")
        within = step.within
        inner = indent + ("    " if within else "")
        lines += [inner + line for line in ast.unparse(step.node).split("\n")]
    return "".join(line + "\n" for line in lines)
