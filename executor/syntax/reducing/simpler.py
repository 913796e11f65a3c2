"""Reductions that keep the statements and simplify them: fewer arguments and settings, smaller sizes, control flow
taken once."""

from __future__ import annotations

import ast
import operator
import textwrap
from collections.abc import Iterator
from itertools import pairwise

import options
from names import bound, reads
from operands import computing, functions
from reduction import CHOOSE, SUBSET, Reduction
from source import FUNCTIONS, Change, Source, bodies, docstring_of, dotted, is_base_call, last_name

SMALLEST = (1, 2, 3, 4, 8)
LONGEST_NAME = 3
FEWEST_THREADS = 2  # the fewest that differ from one
LARGEST = 1 << 12  # larger numbers are clearer as written: 2**31
WHOLE = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow}
LISTING = {"Sequential", "ModuleList", "cat", "stack", "concat", "hstack", "vstack", "dstack", "einsum"}


def unwrapped(code: Source) -> Iterator[Reduction]:
    """One branch of an `if`, one iteration of a `for`, the body of a `with` or `try`."""
    for function in functions(code):
        for node in ast.walk(function):
            for number, (head, body) in enumerate(branches(code, node)):
                text = head + block(code, body, node.col_offset)
                key = f"{code.start(node)} {number}"
                what = f"line {node.lineno} unwrapped"
                yield Reduction("control", CHOOSE, key, what, [code.replacement(node, text)])


def branches(code: Source, node: ast.AST) -> list[tuple[str, list[ast.stmt]]]:
    if isinstance(node, ast.If):
        return [("", body) for body in (node.body, node.orelse) if body]
    if isinstance(node, (ast.With, ast.Try)):
        return [("", node.body)]
    if isinstance(node, ast.For):
        over = node.iter
        called = last_name(over.func) if isinstance(over, ast.Call) else None
        if called is None:
            first = f"{code.segment(over)}[0]"
        elif called == "range":
            first = "0"
        elif called == "enumerate" and over.args:
            first = f"(0, {code.segment(over.args[0])}[0])"
        else:
            first = f"next(iter({code.segment(over)}))"
        indent = " " * node.col_offset
        return [(f"{code.segment(node.target)} = {first}\n{indent}", node.body)]
    return []


def block(code: Source, body: list[ast.stmt], column: int) -> str:
    """The statements at another indentation; the first one without any, since it takes the place of the old
    statement."""
    begin = code.start(body[0]) - body[0].col_offset
    text = code.data[begin : code.end(body[-1])].decode("utf-8")
    return textwrap.indent(textwrap.dedent(text), " " * column)[column:]


def inlined(code: Source) -> Iterator[Reduction]:
    """Replace a name that is read once, in the next statement, with its value."""
    for function in functions(code):
        for _owner, body in bodies(function):
            for statement, after in pairwise(body):
                if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                    continue
                name = statement.targets[0].id
                reads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
                reads = [n for n in reads if isinstance(n.ctx, ast.Load)]
                if len(reads) != 1 or reads[0] not in set(ast.walk(after)) or hasattr(after, "body"):
                    continue
                text = code.segment(statement.value)
                alone = isinstance(after, ast.Return) and after.value is reads[0]
                changes = [
                    *code.removals([statement], body),
                    code.replacement(reads[0], text if alone else f"({text})"),
                ]
                yield Reduction("inline", CHOOSE, str(code.start(statement)), f"{name} inlined", changes)
    yield from inlined_globals(code)


def inlined_globals(code: Source) -> Iterator[Reduction]:
    """Inline a plain constant wherever it is read. Anything else is inlined if it is read once, and not in a function
    that computes: in such a function, a tensor from outside is not equivalent to one made inside."""
    body = code.tree.body
    names = [node for node in ast.walk(code.tree) if isinstance(node, ast.Name)]
    computed = {node for function in computing(code) for node in ast.walk(function)}
    for statement in body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        name, value = statement.targets[0].id, statement.value
        reads = [n for n in names if n.id == name and isinstance(n.ctx, ast.Load)]
        once = len(reads) == 1 and reads[0] not in computed
        if name == "OPTIONS" or not reads or not (once or isinstance(value, ast.Constant)):
            continue
        text = f"({code.segment(value)})"
        changes = [*code.removals([statement], body), *(code.replacement(read, text) for read in reads)]
        yield Reduction("inline", CHOOSE, str(code.start(statement)), f"{name} inlined", changes)


def fewer_statements(code: Source) -> Iterator[Reduction]:
    """Remove a statement outside forward if nothing else reads a name that only this statement assigns."""
    forward = code.method("Model", "forward")
    places = [(code.tree, code.tree, code.tree.body)]
    places += [(f, owner, body) for f in functions(code) if f is not forward for owner, body in bodies(f)]
    before: dict[ast.AST, set[str]] = {}
    for scope, owner, body in places:
        known, read = before.setdefault(scope, set()), reads(scope)
        for statement in body:
            fresh, own = bound(statement) - known, reads(statement)
            known |= fresh
            needed = any(read[name] > own[name] for name in fresh)
            if not needed and may_go(statement) and statement is not docstring_of(owner):
                key, what = str(code.start(statement)), f"without line {statement.lineno}"
                yield Reduction("beside", SUBSET, key, what, code.removals([statement], body))


def may_go(statement: ast.stmt) -> bool:
    """Neither what other families remove, nor what can never be removed."""
    if isinstance(statement, (ast.Return, ast.Pass, ast.Import, ast.ImportFrom, ast.ClassDef, *FUNCTIONS)):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement]
    given = {dotted(target).split(".")[0] for target in targets}
    return not given & {"OPTIONS", "self"} and not is_base_call(statement)


def fewer_options(code: Source) -> Iterator[Reduction]:
    statement, present = options.statement(code.tree), options.read(code.tree)
    if statement is None or not present:
        return
    for key in present:
        rest = {k: v for k, v in present.items() if k != key}
        change = code.replacement(statement, f"OPTIONS = {rest!r}")
        if not rest:
            change = code.removals([statement], code.tree.body)[0]
        yield Reduction("option", CHOOSE, key, f"without option {key}", [change])
    if type(present.get("threads")) is int and present["threads"] > FEWEST_THREADS:
        fewer = {**present, "threads": FEWEST_THREADS}
        change = code.replacement(statement, f"OPTIONS = {fewer!r}")
        yield Reduction("option", CHOOSE, "threads fewer", f"{FEWEST_THREADS} threads", [change])


def fewer_arguments(code: Source) -> Iterator[Reduction]:
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Call):
            for number, keyword in enumerate(node.keywords):
                if keyword.arg is not None:
                    what = f"without {code.segment(keyword)[:40]}"
                    key = f"{code.start(node)}-{code.end(node)} {number}"
                    yield Reduction("argument", SUBSET, key, what, [without(code, node, number)])


def without(code: Source, call: ast.Call, number: int) -> Change:
    return cut(spans(code, [*call.args, *call.keywords]), len(call.args) + number)


def spans(code: Source, nodes: list[ast.expr | ast.keyword]) -> list[tuple[int, int]]:
    return [(code.start(node), code.end(node)) for node in nodes]


def cut(listed: list[tuple[int, int]], number: int) -> Change:
    """Remove one of several comma-separated items, with one comma."""
    begin, end = listed[number]
    if number > 0:
        return (listed[number - 1][1], end, "")
    return (begin, listed[1][0] if len(listed) > 1 else end, "")


def fewer_elements(code: Source) -> Iterator[Reduction]:
    """Fewer modules in a sequence, fewer tensors in a list, fewer entries in a dict, fewer outputs."""
    said = options.statement(code.tree)
    of_options = set(ast.walk(said)) if said is not None else set()
    forward = code.method("Model", "forward")
    last = forward.body[-1] if forward is not None else None
    for node in ast.walk(code.tree):
        listed = [] if node in of_options else elements(code, node, last)
        for number, (begin, end) in enumerate(listed if len(listed) > 1 else []):
            what = f"without {code.data[begin:end].decode()[:40]}"
            yield Reduction("element", SUBSET, str(begin), what, [cut(listed, number)])


def elements(code: Source, node: ast.AST, last: ast.stmt | None) -> list[tuple[int, int]]:
    """Start and end of each element, for lists of which any subset may be enough. `last`: of forward."""
    listed: list[ast.expr] = []
    if isinstance(node, ast.Call) and last_name(node.func) in LISTING and node.args:
        first = node.args[0]
        listed = first.elts if isinstance(first, (ast.List, ast.Tuple)) else node.args
    elif isinstance(node, ast.Dict) and None not in node.keys:
        return [(code.start(key), code.end(value)) for key, value in zip(node.keys, node.values, strict=True)]
    elif isinstance(node, ast.For) and isinstance(node.iter, (ast.List, ast.Tuple)):
        listed = node.iter.elts
    elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Tuple)):
        to_name = isinstance(node.targets[0], (ast.Name, ast.Attribute))
        listed = node.value.elts if to_name else []
    elif node is last and isinstance(node, ast.Return) and isinstance(node.value, (ast.List, ast.Tuple)):
        listed = node.value.elts
    return spans(code, listed)


def fewer_decorators(code: Source) -> Iterator[Reduction]:
    """Remove a decorator; a function that nothing reads then goes as well, because only its decorator kept it."""
    for node in ast.walk(code.tree):
        for decorator in getattr(node, "decorator_list", []):
            if dotted(decorator) in ("staticmethod", "classmethod", "property"):
                continue  # without it the rest would not fit
            begin = code.data.rfind(b"\n", 0, code.data.rfind(b"@", 0, code.start(decorator))) + 1
            end = code.data.find(b"\n", code.end(decorator)) + 1
            what = f"without @{code.segment(decorator)[:40]}"
            yield Reduction("decorator", SUBSET, str(begin), what, [(begin, end, "")])


def smaller_sizes(code: Source) -> Iterator[Reduction]:
    """Replace a size, wherever it occurs in the program, with a smaller one."""
    numbers: dict[int, list[ast.Constant]] = {}
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 1:
            numbers.setdefault(node.value, []).append(node)
    for value in sorted(numbers, reverse=True):
        for smaller in sorted({n for n in (*SMALLEST, value // 8, value // 4, value // 2, value - 1) if 0 < n < value}):
            changes = [code.replacement(node, str(smaller)) for node in numbers[value]]
            yield Reduction(f"size {value}", CHOOSE, str(smaller), f"{smaller} for {value}", changes)


def plainer_constants(code: Source) -> Iterator[Reduction]:
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Constant) and type(node.value) is float and node.value not in (0.0, 1.0, 0.5):
            what = f"1.0 for {node.value}"
            yield Reduction("constant", SUBSET, str(code.start(node)), what, [code.replacement(node, "1.0")])
        elif isinstance(node, ast.BinOp) and (number := whole(node)) is not None:
            what = f"{number} for {code.segment(node)}"
            key = f"{code.start(node)}-{code.end(node)}"
            yield Reduction("constant", SUBSET, key, what, [code.replacement(node, str(number))])


def whole(node: ast.AST) -> int | None:
    """The result of arithmetic on small whole numbers. Sizes are reduced before that: in 2 * 8 the 8 still changes
    along with the other 8s."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if not isinstance(node, ast.BinOp) or type(node.op) not in WHOLE:
        return None
    numbers = [whole(node.left), whole(node.right)]
    if None in numbers or max(numbers) > LARGEST:
        return None
    result = WHOLE[type(node.op)](*numbers)
    return result if 0 <= result <= LARGEST else None


def plain_names(code: Source) -> Iterator[Reduction]:
    """Short names for the names that forward binds."""
    forward = code.method("Model", "forward")
    if forward is None:
        return
    nodes = [n for n in ast.walk(forward) if isinstance(n, (ast.Name, ast.arg))]
    name_of = {id(n): n.id if isinstance(n, ast.Name) else n.arg for n in nodes}
    own = [name_of[id(n)] for n in nodes if isinstance(n, ast.arg) or isinstance(n.ctx, ast.Store)]
    taken = {n.id for n in ast.walk(code.tree) if isinstance(n, ast.Name)} | set(own)
    free = (letter for letter in "xyzabcdeghijklmnopqrstuvw" if letter not in taken)
    renamed: dict[str, str] = {}
    for name in own:
        if name != "self" and len(name) > LONGEST_NAME and name not in renamed and (letter := next(free, "")):
            renamed[name] = letter
    changes = []
    for node in nodes:
        if new := renamed.get(name_of[id(node)]):
            at = code.start(node)
            changes.append((at, at + len(name_of[id(node)].encode()), new))
    if changes:
        yield Reduction("name", CHOOSE, "plain", "plain names", changes)
