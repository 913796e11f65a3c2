"""Reductions that cut a program's body: what comes before the cut becomes inputs, what comes after it is not
computed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inputs import inputs_of
from names import bound, loaded, reads
from recorded import Recorded, expression, is_tensor
from reduction import CHOOSE, NESTED, SUBSET, Reduction
from source import Source, bodies, docstring_of, last_name


def reductions(code: Source, recorded: Recorded) -> Iterator[Reduction]:
    forward = code.method("Model", "forward")
    if forward is None:
        return
    yield from outputs(code, forward)
    yield from collected(code, forward)
    yield from promoted(code, recorded)
    yield from ends(code, forward)
    if inputs_of(code) is None:
        yield from plain_inputs(code, forward, recorded)
        return
    yield from beginnings(code, forward, recorded)
    yield from statements(code, forward, recorded)


def outputs(code: Source, forward: ast.FunctionDef) -> Iterator[Reduction]:
    """Return only one of several outputs."""
    last = forward.body[-1]
    if not isinstance(last, ast.Return) or not isinstance(last.value, (ast.Tuple, ast.List, ast.Dict)):
        return
    elements = last.value.values if isinstance(last.value, ast.Dict) else last.value.elts
    for number, element in enumerate(elements):
        if len(elements) > 1 or not isinstance(last.value, ast.Tuple):
            text = code.segment(element)
            yield Reduction(
                "output", CHOOSE, str(number), f"only output {text[:40]}", [code.replacement(last.value, text)]
            )


def collected(code: Source, forward: ast.FunctionDef) -> Iterator[Reduction]:
    """Return only one element of a list or dict, without the list or dict."""
    body = forward.body
    for number, statement in enumerate(body[:-1]):
        value = None
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
            value = statement.value
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            value = call.args[0] if last_name(call.func) == "append" and len(call.args) == 1 else None
        if value is not None:
            text = code.segment(value)
            change = (code.start(statement), code.end(body[-1]), f"return {text}")
            yield Reduction("output", CHOOSE, f"collected {number}", f"only collected {text[:40]}", [change])


def ends(code: Source, forward: ast.FunctionDef) -> Iterator[Reduction]:
    """Return the result of an earlier statement."""
    body = forward.body
    for number, statement in enumerate(body[:-1]):
        names = targets(statement)
        if statement is docstring_of(forward) or not names:
            continue
        text = f"return {', '.join(names)}"
        change = (code.start(body[number + 1]), code.end(body[-1]), text)
        yield Reduction("end", NESTED, str(number), f"ends after line {statement.lineno}", [change])


def targets(statement: ast.stmt) -> list[str]:
    """Names that a statement assigns or changes in place, in order."""
    nodes: list[ast.AST] = []
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        nodes = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        nodes = [statement.value.func]
    elif isinstance(statement, (ast.If, ast.For, ast.With)):
        nodes = [t for part in ast.walk(statement) if isinstance(part, ast.Assign) for t in part.targets]
    names: list[str] = []
    for node in nodes:
        stored = isinstance(node, (ast.Name, ast.Tuple, ast.List))
        for name in (n.id for n in ast.walk(node) if isinstance(n, ast.Name)):
            if name not in ("self", "torch", "F", *names) and (stored or not names):
                names.append(name)
    return names


def beginnings(code: Source, forward: ast.FunctionDef, recorded: Recorded) -> Iterator[Reduction]:
    """Begin in the middle: the results of earlier statements become inputs. Longest cuts first."""
    body = forward.body
    parameters = {argument.arg for argument in forward.args.args}
    for number in range(len(body) - 1, 0, -1):
        known = recorded.after(body[number - 1])
        made = set().union(*(bound(s) for s in body[:number]))
        live = sorted(set().union(*(loaded(s) for s in body[number:])) & (made | parameters - {"self"}))
        if not live or not all(name in known for name in live):
            continue
        plain = [f"{name} = {expression(known[name])}" for name in live if not is_tensor(known[name])]
        indent = " " * body[number].col_offset
        text = "".join(f"{line}\n{indent}" for line in plain)
        change = (code.start(body[0]), code.start(body[number]), text)
        fresh = {name: expression(known[name]) for name in live if is_tensor(known[name])}
        yield Reduction("begin", NESTED, str(number), f"begins at line {body[number].lineno}", [change], fresh)


def statements(code: Source, forward: ast.FunctionDef, recorded: Recorded) -> Iterator[Reduction]:
    """Remove a statement; its result becomes an input, unless the name had a value before or nothing else reads it."""
    before = {argument.arg for argument in forward.args.args}
    read = reads(forward)
    for owner, body in bodies(forward):
        for statement in body:
            if isinstance(statement, (ast.Return, ast.Pass)) or statement is docstring_of(owner):
                continue
            names = targets(statement)
            known = recorded.after(statement)
            changes = code.removals([statement], body)
            what = f"without line {statement.lineno}"
            own = reads(statement)
            simple = not any(read[name] > own[name] for name in bound(statement) - before)
            before |= bound(statement)
            if simple:
                yield Reduction("statement", SUBSET, f"{code.start(statement)}", what, changes)
            if names and bound(statement) and all(name in known and is_tensor(known[name]) for name in names):
                fresh = {name: expression(known[name]) for name in names}
                key = f"{code.start(statement)} input"
                yield Reduction("statement", SUBSET, key, f"{what}, {', '.join(names)} as input", changes, fresh)


def plain_inputs(code: Source, forward: ast.FunctionDef, recorded: Recorded) -> Iterator[Reduction]:
    """Turn get_inputs into a list that later reductions can shorten: draws of the recorded shapes, the list of the
    function it calls, or the elements of whatever it returns."""
    make = code.function_named("get_inputs")
    known = recorded.entering(forward)
    names = [argument.arg for argument in forward.args.args[1:]]
    if make is None or forward.args.vararg:
        return
    if all(name in known for name in names):
        text = f"def get_inputs():\n    return [{', '.join(expression(known[name]) for name in names)}]"
        yield Reduction("inputs", CHOOSE, "drawn", "plain inputs", [code.replacement(make, text)])
    yield from spelled_out(code, make, len(names))


def spelled_out(code: Source, make: ast.FunctionDef, count: int) -> Iterator[Reduction]:
    returned = make.body[-1]
    if not isinstance(returned, ast.Return) or returned.value is None or count == 0:
        return
    value = returned.value
    wrapped = isinstance(value, ast.Call) and last_name(value.func) in ("list", "tuple") and len(value.args) == 1
    inner = value.args[0] if wrapped else value
    called = code.function_named(inner.func.id) if is_plain_call(inner) else None
    last = called.body[-1] if called is not None else None
    if isinstance(last, ast.Return) and isinstance(last.value, (ast.Tuple, ast.List)) and len(make.body) == 1:
        begin = code.line_starts[called.body[0].lineno - 1]
        body = code.data[begin : code.start(last)].decode("utf-8")
        elements = ", ".join(code.segment(element) for element in last.value.elts)
        text = f"def get_inputs():\n{body}return [{elements}]"
        yield Reduction("inputs", CHOOSE, "inlined", "inputs inlined", [code.replacement(make, text)])
    elements = ", ".join(f"given[{number}]" for number in range(count))
    text = f"given = {code.segment(value)}\n{' ' * returned.col_offset}return [{elements}]"
    yield Reduction("inputs", CHOOSE, "elements", "inputs one by one", [code.replacement(returned, text)])


def is_plain_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args and not node.keywords


def promoted(code: Source, recorded: Recorded) -> Iterator[Reduction]:
    """Make one of the program's own submodules the model."""
    model = code.class_named("Model")
    for owner in code.tree.body:
        if not isinstance(owner, ast.ClassDef) or owner is model or code.method(owner.name, "forward") is None:
            continue
        made = [
            n
            for n in ast.walk(code.tree)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == owner.name
        ]
        forward = code.method(owner.name, "forward")
        known = recorded.entering(forward)
        names = [argument.arg for argument in forward.args.args[1:]]
        constants = made and not made[0].keywords and all(isinstance(a, ast.Constant) for a in made[0].args)
        if not constants or model is None or forward.args.vararg or not all(n in known for n in names):
            continue
        yield Reduction(
            "module", CHOOSE, owner.name, f"{owner.name} alone", promotion(code, owner, made[0], known, names)
        )


def promotion(code: Source, owner: ast.ClassDef, made: ast.Call, known: dict, names: list[str]) -> list:
    renamed = code.segment(owner).replace(f"class {owner.name}", "class Model", 1)
    renamed = renamed.replace(f"super({owner.name},", "super(Model,")
    changes = [code.replacement(owner, renamed)]
    dropped = [code.class_named("Model"), code.function_named("get_init_inputs"), code.function_named("get_inputs")]
    for node in dropped:
        changes += code.removals([node], code.tree.body) if node is not None else []
    arguments = ", ".join(code.segment(a) for a in made.args)
    text = f"\n\ndef get_inputs():\n    return [{', '.join(expression(known[name]) for name in names)}]\n"
    if arguments:
        text += f"\n\ndef get_init_inputs():\n    return [{arguments}]\n"
    return [*changes, (len(code.data), len(code.data), text)]
