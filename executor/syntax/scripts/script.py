"""Programs written as scripts, as in other fuzzers' corpora: the model's instance and its inputs are at module level or
under the main guard. They are turned into get_inputs, get_init_inputs and OPTIONS."""

from __future__ import annotations

import ast

import options
from names import bound, loaded
from source import FUNCTIONS, Source, dotted
from toplevel import changed, constant_like, is_main_guard, needed_names

INPUT_LISTS = ("inputs", "example_inputs", "input_tensors", "args", "sample_inputs", "input_data", "input_list")
SAME_MODEL = {"eval", "train", "to", "type", "float", "double", "half", "bfloat16", "requires_grad_"}
NO_GRADIENTS = {"torch.no_grad", "torch.inference_mode"}
COMPILERS = {"torch.compile", "torch._dynamo.optimize", "compile"}


class Script:
    """The part of a program that would run at import, up to the first call of its model."""

    def __init__(self, code: Source) -> None:
        self.code = code
        self.models: dict[str, ast.Call] = {}  # names of instances, with the calls that made them
        self.called: ast.Call | None = None  # the first call of an instance
        self.made: ast.Call | None = None  # the `Model(…)` that is called, otherwise the first one
        self.options: dict[str, object] = {}
        self.statements: list[ast.stmt] = []
        self.taken: list[ast.stmt] = []  # moved into functions
        self.later: set[str] = set()  # bound by the call's statement, or after it
        for statement in statements_of(code.tree):
            if isinstance(statement, (ast.Import, ast.ImportFrom, ast.ClassDef, *FUNCTIONS)):
                continue
            self.read(statement)
            if self.called is None:
                self.statements.append(statement)
            else:
                self.later |= bound(statement)
        self.assigned = set().union(*(bound(node) for node in self.statements)) - self.models.keys()

    def read(self, statement: ast.stmt) -> None:
        before_call = self.called is None
        for call in ast.walk(statement):
            if not isinstance(call, ast.Call):
                continue
            if dotted(call.func) == "Model":
                self.made = self.made or call
            elif self.called is None and self.made_of(call.func) is not None:
                self.called, self.made = call, self.made_of(call.func)
            elif self.made_of(call) is not None:
                self.note_options(call, before_call)
        made = self.made_of(statement.value) if isinstance(statement, ast.Assign) else None
        if made is not None:
            self.models |= {target.id: made for target in statement.targets if isinstance(target, ast.Name)}

    def made_of(self, node: ast.AST) -> ast.Call | None:
        """The `Model(…)` behind `m`, `Model(…)`, `m.eval()`, `torch.compile(m)`; None if it is not a model."""
        if isinstance(node, ast.Name):
            return self.models.get(node.id)
        if not isinstance(node, ast.Call):
            return None
        if dotted(node.func) == "Model":
            return node
        if isinstance(node.func, ast.Attribute) and node.func.attr in SAME_MODEL:
            return self.made_of(node.func.value)
        return self.made_of(node.args[0]) if dotted(node.func) in COMPILERS and node.args else None

    def note_options(self, call: ast.Call, before_call: bool) -> None:
        """How the script runs its model: `.train()`."""
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if before_call and method in ("train", "eval"):
            self.options.pop("train", None)
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if method == "train" and all(isinstance(mode, ast.Constant) and mode.value for mode in given):
                self.options["train"] = True

    def computed(self) -> list[str]:
        """Names that hold something computed, in order: possible inputs under other names."""
        found: list[str] = []
        for node in self.statements:
            if isinstance(node, ast.Assign) and not constant_like(node.value) and self.made_of(node.value) is None:
                found += [t.id for t in node.targets if isinstance(t, ast.Name) and t.id not in found]
        return found

    def read_names(self) -> set[str]:
        return set().union(*(loaded(node) for node in self.statements))

    def value_of(self, name: str) -> ast.expr | None:
        values = [n.value for n in self.statements if isinstance(n, ast.Assign) and dotted(n.targets[0]) == name]
        return values[-1] if values else None

    def function(self, name: str, returned: list[str]) -> str | None:
        """A function with all statements that the returned expressions need; None if they need the model, or what only
        the call's own statement makes."""
        expression = f"[{', '.join(returned)}]"
        wanted = loaded(ast.parse(expression))
        taken: list[ast.stmt] = []
        for node in reversed(self.statements):
            if (bound(node) | changed(node)) & wanted:
                taken.insert(0, node)
                wanted |= loaded(node)
        lacking = wanted.difference(*(bound(node) for node in taken))
        if wanted & {"Model", *self.models} or lacking & self.later:
            return None
        self.taken += taken
        body = "".join(f"    {line}\n" for node in taken for line in self.lines(node))
        return f"\n\ndef {name}():\n{body}    return {expression}\n"

    def lines(self, node: ast.stmt) -> list[str]:
        text = self.code.segment(node)
        return ast.unparse(node).split("\n") if "\n" in text else [text]


def statements_of(tree: ast.Module) -> list[ast.stmt]:
    """What runs at module level, in order, including what is under the main guard and under `torch.no_grad()`."""
    found: list[ast.stmt] = []
    waiting = [*reversed(tree.body)]
    while waiting:
        node = waiting.pop()
        without_gradients = isinstance(node, ast.With) and all(
            isinstance(item.context_expr, ast.Call) and dotted(item.context_expr.func) in NO_GRADIENTS
            for item in node.items
        )
        if is_main_guard(node) or without_gradients:
            waiting += reversed(node.body)
        else:
            found.append(node)
    return found


def positional(code: Source, function: ast.FunctionDef | None, call: ast.Call) -> list[str] | None:
    """A call's arguments in the order of the function's parameters; None if they cannot all be passed by position."""
    given = [code.segment(argument) for argument in call.args]
    if not call.keywords:
        return given
    if function is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    by_name = {keyword.arg: code.segment(keyword.value) for keyword in call.keywords}
    for name, default in parameters(function)[len(given) :]:
        if not by_name:
            break
        value = by_name.pop(name, default and code.segment(default))
        if value is None:
            return None
        given.append(value)
    return None if by_name else given


def parameters(function: ast.FunctionDef) -> list[tuple[str, ast.expr | None]]:
    """Parameters of a method, without self: names with their defaults."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    defaults = [None] * (len(arguments) - len(function.args.defaults)) + function.args.defaults
    return [(argument.arg, default) for argument, default in zip(arguments, defaults, strict=True)][1:]


def inputs_of(script: Script) -> list[str] | None:
    """The expressions that forward is called with; None if they are not certain."""
    forward = script.code.method("Model", "forward")
    if script.called is not None:
        given = positional(script.code, forward, script.called)
        return given if given is not None else unpacked(script, forward)
    for name in INPUT_LISTS:
        value = script.value_of(name)
        if isinstance(value, (ast.List, ast.Tuple, ast.ListComp)):
            return [f"*{name}"]
        if isinstance(value, ast.Dict):
            return by_key(script, forward, name)
    return None if forward is None else by_parameter(script, forward)


def unpacked(script: Script, forward: ast.FunctionDef | None) -> list[str] | None:
    """The inputs of a call `m(**inputs)`."""
    keywords = [] if script.called.args else script.called.keywords
    return by_key(script, forward, dotted(keywords[0].value)) if [k.arg for k in keywords] == [None] else None


def by_key(script: Script, forward: ast.FunctionDef | None, name: str) -> list[str] | None:
    """The values of a dict whose keys are forward's first parameters."""
    value = script.value_of(name)
    if forward is None or not isinstance(value, ast.Dict):
        return None
    names = [parameter for parameter, _ in parameters(forward)][: len(value.keys)]
    keys = {key.value for key in value.keys if isinstance(key, ast.Constant)}
    return [f"{name}[{parameter!r}]" for parameter in names] if keys == {*names} else None


def by_parameter(script: Script, forward: ast.FunctionDef) -> list[str] | None:
    """Parameters get the variable with their name; the remaining ones get the other tensors in order."""
    wanted = parameters(forward)
    lacking = [name for name, default in wanted if default is None and name not in script.assigned]
    others = [name for name in script.computed() if name not in dict(wanted)]
    final = [name for name in others if name not in script.read_names()]
    others = final if len(final) >= len(lacking) else others
    if forward.args.vararg is not None and not wanted:
        return others or None
    found = []
    given = [index for index, (name, default) in enumerate(wanted) if default is None or name in script.assigned]
    for name, default in wanted[: max(given, default=-1) + 1]:
        if name in script.assigned:
            found.append(name)
        elif default is not None:
            found.append(script.code.segment(default))
        elif not others:
            return None
        else:
            found.append(others.pop(0))
    return found


def initial_of(script: Script) -> list[str] | None:
    """The arguments with which the model is made; None if they are not certain."""
    init = script.code.method("Model", "__init__")
    if script.made is not None:
        return positional(script.code, init, script.made)
    needed = [name for name, default in parameters(init) if default is None] if init is not None else []
    return needed if script.assigned.issuperset(needed) else None


def functions_of(code: Source, done: list[str]) -> Source:
    """Adds the functions of the contract that the program lacks, and removes the statements they were made from."""
    has_inputs = code.function_named("get_inputs") is not None
    if code.class_named("Model") is None or (has_inputs and code.function_named("get_init_inputs") is not None):
        return code
    script = Script(code)
    initial = None if code.function_named("get_init_inputs") is not None else initial_of(script)
    added = ""
    if not has_inputs:
        inputs = inputs_of(script)
        function = script.function("get_inputs", inputs) if inputs is not None else None
        if function is None:
            return code
        added = function
        done.append("added get_inputs around module-level inputs")
    if initial and (function := script.function("get_init_inputs", initial)) is not None:
        added += function
        done.append("added get_init_inputs from the model's instance")
    if not added:
        return code
    needed = needed_names(code.tree)
    moved = [n for n in code.tree.body if n in script.taken and not (bound(n) | changed(n)) & needed]
    gone = set().union(*(bound(node) for node in moved))
    moved += [n for n in code.tree.body if n in script.statements and n not in moved and loaded(n) & gone]
    text = code.changed(code.removals(moved, code.tree.body)).text.rstrip("\n") + "\n" + added
    merged = {} if options.statement(code.tree) is not None else script.options
    return Source(options.merge(Source(text), merged))
