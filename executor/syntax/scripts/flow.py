"""What a script would run, as one list of statements: main guards, functions, loops, tests and branches that lead to
the compiled call are laid out, compilation is removed, and the compiled calls are marked. Nothing is executed."""

from __future__ import annotations

import ast
import copy
import itertools
from dataclasses import dataclass

import carried
import compiles
from calling import NotUnderstood, arguments_of, test_arguments
from expressions import Expressions
from known import DEEPEST
from leads import Leads, is_module_class
from names import bound, loaded
from renaming import Renamer, WithoutSelf
from source import FUNCTIONS, dotted, last_name
from toplevel import is_main_guard

MOST_PASSES = 8  # of a loop
MOST_STEPS = 2000


@dataclass
class Step:
    node: ast.stmt
    line: int
    within: tuple[str, ...] = ()
    top: ast.stmt | None = None  # the module-level statement that it comes from


@dataclass
class CompiledCall:
    call: ast.Call
    asked: compiles.Asked
    at: int  # number of the step before which it runs
    within: tuple[str, ...]
    grad: bool
    line: int


class Flow(Leads):
    """The steps of a script and the compiled calls among them."""

    def __init__(self, tree: ast.Module) -> None:
        super().__init__(tree)
        self.steps: list[Step] = []
        self.calls: list[CompiledCall] = []
        self.notes: list[str] = []
        self.grad = True
        self.within: tuple[str, ...] = ()
        self.top: ast.stmt | None = None
        self.depth = 0
        self.inlined: dict[str, set[str]] = {}  # local names of functions laid out so far
        self.fresh = itertools.count(1)
        self.returned: ast.expr | None = None

    def run(self) -> None:
        for node in self.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom, ast.ClassDef, *FUNCTIONS)):
                continue
            self.top = node
            self.take(node)
        if not self.calls:
            self.run_tests()

    def run_tests(self) -> None:
        """Functions and test classes without a caller: a test runner would call them."""
        for owner in self.classes.values():
            if any("TestCase" in dotted(base) for base in owner.bases) or owner.name.startswith("Test"):
                self.run_test_class(owner)
        called = {dotted(n.func) for n in ast.walk(self.tree) if isinstance(n, ast.Call)}
        for function in list(self.functions.values()):
            if function.name not in self.compiled and function.name not in called and not self.calls:
                arguments = test_arguments(function)
                if arguments is not None and any(self.leads(s) for s in function.body):
                    self.top = function
                    self.inline(function, ast.Call(ast.Name(function.name, ast.Load()), [], arguments))

    def run_test_class(self, owner: ast.ClassDef) -> None:
        methods = {n.name: n for n in owner.body if isinstance(n, ast.FunctionDef)}
        own = {t.attr for n in ast.walk(owner) for t in getattr(n, "targets", []) if isinstance(t, ast.Attribute)}
        plain = WithoutSelf(own | set(methods))
        constants = [n for n in owner.body if isinstance(n, ast.Assign)]
        for name, method in methods.items():
            method = plain.visit(copy.deepcopy(method))
            method.args.args = method.args.args[1:]
            self.functions.setdefault(name, method)
        for name in methods:
            function = self.functions[name]
            if name.startswith("test") and any(self.leads(s) for s in function.body) and len(self.calls) < MOST_PASSES:
                self.top = owner
                setup = self.functions["setUp"].body if "setUp" in methods else []
                for statement in [*constants, *setup]:
                    self.take(copy.deepcopy(statement))
                arguments = test_arguments(function)
                if arguments is not None:
                    self.inline(function, ast.Call(ast.Name(name, ast.Load()), [], arguments))
        for name in methods:  # helpers that are not laid out stay functions where they are needed
            if not name.startswith("test") and name != "setUp":
                self.steps.insert(0, Step(self.functions[name], self.functions[name].lineno, (), owner))
                for call in self.calls:
                    call.at += 1

    def take_all(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.returned is not None:
                return
            self.take(statement)

    def take(self, node: ast.stmt) -> None:
        if len(self.steps) > MOST_STEPS:
            raise NotUnderstood(node.lineno, "the script is too long to be unrolled")
        if isinstance(node, ast.If):
            self.take_if(node)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            self.take_loop(node)
        elif isinstance(node, ast.With):
            self.take_with(node)
        elif isinstance(node, ast.Try) and self.leads(node):
            self.take_all([*node.body, *node.orelse, *node.finalbody])
        elif isinstance(node, ast.Return):
            self.returned = self.expression(node.value) if node.value is not None else ast.Constant(None)
        elif isinstance(node, FUNCTIONS):
            self.take_function(node)
        elif isinstance(node, ast.ClassDef):
            self.classes[node.name] = node
            self.add(compiles.uncompiled(copy.deepcopy(node), self.compilers))
        else:
            self.take_simple(node)

    def take_function(self, node: ast.FunctionDef) -> None:
        asked = self.compilers.decorated(node)
        self.functions[node.name] = node
        if asked is not None:
            self.compiled[node.name] = asked
        else:
            self.compiled.pop(node.name, None)
        self.values.pop(node.name, None)
        self.add(compiles.uncompiled(copy.deepcopy(node), self.compilers))

    def take_if(self, node: ast.If) -> None:
        value = True if is_main_guard(node) else self.constant(node.test)
        if value is not ... and "is_available" in ast.unparse(node.test):
            self.take_all(self.without_device(node, bool(value)))
        elif value is not ...:
            self.take_all(node.body if value else node.orelse)
        elif self.leads(node):
            chosen = node.body if any(self.leads(s) for s in node.body) else node.orelse
            self.notes.append(f"line {node.lineno}: condition assumed {'true' if chosen is node.body else 'false'}")
            self.take_all(chosen)
        elif not any(isinstance(n, ast.Return) for n in ast.walk(node)):
            self.take_simple(node)

    def take_simple(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Expr) and compiles.is_compile_method(node.value):
            asked = compiles.Asked(None, tuple(node.value.keywords), node.lineno)
            target = node.value.func.value
            if isinstance(target, ast.Name):
                self.compiled[target.id] = asked
            elif isinstance(target, ast.Attribute):
                self.attributes[target.attr] = asked
            return
        if isinstance(node, ast.Expr) and carried.full_name(getattr(node.value, "func", node), self.aliases).endswith(
            "torch.set_grad_enabled"
        ):
            value = self.constant(node.value.args[0])
            self.grad = value is ... or bool(value)
            return
        if isinstance(node, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            self.add(compiles.uncompiled(copy.deepcopy(node), self.compilers))
            self.forget(bound(node))
            return
        if isinstance(node, ast.Assign):
            value = self.expression(node.value)
            for target in node.targets:
                self.assign(target, value, node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.expression(node.value), node)
        else:
            copied = copy.copy(node)
            for name, child in ast.iter_fields(node):
                if isinstance(child, ast.expr):
                    setattr(copied, name, self.expression(child))
            self.add(copied)
            self.forget(bound(node))

    def assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> None:
        """Binds as the statement does; if several compiled things are unpacked, each keeps its name."""
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
            plain = not any(isinstance(e, ast.Starred) for e in [*target.elts, *value.elts])
            swaps = bound(target) & loaded(value)
            if plain and len(target.elts) == len(value.elts) and not swaps:
                for each, element in zip(target.elts, value.elts, strict=True):
                    self.assign(each, element, node)
                return
        asked = self.asked_of(value)
        if isinstance(target, ast.Name) and isinstance(value, ast.Name) and value.id == target.id:
            if asked is not None:
                self.compiled[target.id] = asked
            return
        made = self.instances.get(value.id) if isinstance(value, ast.Name) else None
        self.forget(bound(target))
        if isinstance(target, ast.Name):
            if asked is not None:
                self.compiled[target.id] = asked
            self.note_value(target.id, value, made)
        elif isinstance(target, ast.Attribute) and asked is not None:
            self.attributes[target.attr] = asked
        self.add(ast.copy_location(ast.Assign([target], value), node))

    def note_value(self, name: str, value: ast.expr, made: str | None) -> None:
        if name not in loaded(value):
            self.values[name] = value
        made = made or self.class_of(value)
        if isinstance(value, ast.Call) and dotted(value.func) in self.classes:
            made = dotted(value.func)
        if made is not None:
            self.instances[name] = made
            if not self.compiles and is_module_class(self.classes[made], self.classes):
                self.compiled[name] = compiles.Asked(None, (), value.lineno)

    def add(self, node: ast.stmt) -> None:
        self.steps.append(Step(ast.fix_missing_locations(node), node.lineno, self.within, self.top))

    def expression(self, node: ast.expr) -> ast.expr:
        return Expressions(self).visit(copy.deepcopy(node))

    def mark(self, call: ast.Call, asked: compiles.Asked) -> None:
        self.calls.append(CompiledCall(call, asked, len(self.steps), self.within, self.grad, call.lineno))

    def inline(self, function: ast.FunctionDef, call: ast.Call) -> ast.expr:
        """Lays out a function's body; returns the value of the call."""
        if self.depth >= DEEPEST:
            raise NotUnderstood(function.lineno, f"{function.name} calls itself")
        outer = set().union(*(bound(step.node) for step in self.steps), set())
        arguments = arguments_of(function, call)
        local = set().union(*(bound(s) for s in function.body)) | {
            a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)
        }
        declared = {n for s in ast.walk(function) if isinstance(s, (ast.Global, ast.Nonlocal)) for n in s.names}
        same = {name for name, value in arguments if isinstance(value, ast.Name) and value.id == name}
        read = set().union(*(loaded(value) for _, value in arguments), set())
        outer -= self.inlined.get(function.name, set())
        clashing = ((local & (outer | read)) - same - declared) | (local & set(self.functions) - declared)
        renames = {name: f"{name}_{next(self.fresh)}" for name in sorted(clashing)}
        self.inlined[function.name] = local - set(renames)
        if arguments and arguments[0][0] == "self":
            receiver = arguments.pop(0)[1]
            renames["self"] = receiver.id if isinstance(receiver, ast.Name) else f"object_{next(self.fresh)}"
            if not isinstance(receiver, ast.Name):
                self.assign(ast.Name(renames["self"], ast.Store()), receiver, function)
        renamer = Renamer(renames)
        for name, value in arguments:
            self.assign(ast.Name(renames.get(name, name), ast.Store()), value, function)
        self.depth += 1
        self.take_all([renamer.visit(copy.deepcopy(statement)) for statement in function.body])
        self.depth -= 1
        returned, self.returned = self.returned, None
        return returned if returned is not None else ast.Constant(None)

    def without_device(self, node: ast.If, value: bool) -> list[ast.stmt]:
        """The branch for a machine without a GPU, unless it gives up: programs name no device here."""
        chosen, other = (node.body, node.orelse) if value else (node.orelse, node.body)
        ends = any(isinstance(n, (ast.Return, ast.Raise)) or "exit" in ast.unparse(n) for n in chosen)
        if ends or (not any(map(self.leads, chosen)) and any(map(self.leads, other))):
            return other
        return chosen

    def take_loop(self, node: ast.For | ast.While) -> None:
        if not self.leads(node):
            self.take_simple(node)
            return
        passes = self.elements(node.iter) if isinstance(node, ast.For) else None
        if passes is None:
            self.notes.append(f"line {node.lineno}: only the first iteration of the loop")
            if isinstance(node, ast.For):
                first = ast.Call(
                    ast.Name("next", ast.Load()), [ast.Call(ast.Name("iter", ast.Load()), [node.iter], [])], []
                )
                self.assign(node.target, first, node)
            self.take_all(node.body)
            return
        if len(passes) > MOST_PASSES:
            self.notes.append(f"line {node.lineno}: only the first {MOST_PASSES} of {len(passes)} iterations")
        for element in passes[:MOST_PASSES]:
            self.assign(node.target, element, node)
            self.take_all(node.body)
            if self.returned is not None:
                return

    def elements(self, node: ast.expr) -> list[ast.expr] | None:
        node = self.literal(node)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return (
                None if any(isinstance(e, ast.Starred) for e in node.elts) else [self.expression(e) for e in node.elts]
            )
        if isinstance(node, ast.Dict):
            return [self.expression(key) for key in node.keys if key is not None]
        if not isinstance(node, ast.Call):
            return None
        name = last_name(node.func)
        if name == "range" and node.args:
            values = [self.constant(a) for a in node.args]
            return [ast.Constant(n) for n in range(*values)] if all(isinstance(v, int) for v in values) else None
        if name in ("items", "values") and isinstance(self.literal(node.func.value), ast.Dict):
            held = self.literal(node.func.value)
            values = [self.expression(value) for value in held.values]
            if name == "values":
                return values
            return [ast.Tuple([k, v], ast.Load()) for k, v in zip(held.keys, values, strict=True)]
        lists = [self.elements(a) for a in node.args]
        if name == "tqdm" and lists:
            return lists[0]
        if name in ("enumerate", "zip", "product") and lists and all(found is not None for found in lists):
            lists = [[ast.Constant(n) for n in range(len(lists[0]))], *lists[:1]] if name == "enumerate" else lists
            pairs = itertools.product(*lists) if name == "product" else zip(*lists, strict=False)
            return [ast.Tuple(list(pair), ast.Load()) for pair in pairs]
        return None

    def take_with(self, node: ast.With) -> None:
        leads = self.leads(node)
        known = [self.context(item, leads, node) for item in node.items]
        if None in known:
            self.take_simple(node)
            return
        before = self.within
        grad = self.grad
        self.within = (*before, *(text for text in known if text))
        for item in node.items:
            name = (
                carried.full_name(item.context_expr.func, self.aliases)
                if isinstance(item.context_expr, ast.Call)
                else ""
            )
            if name.endswith("enable_grad"):
                self.grad = True
            elif any(text.startswith("torch.no_grad") for text in known):
                self.grad = False
        self.take_all(node.body)
        self.within, self.grad = before, grad

    def context(self, item: ast.withitem, leads: bool, node: ast.With) -> str | None:
        """A context as text; empty: it changes nothing; None: the statement stays whole."""
        call = item.context_expr
        name = carried.full_name(call.func, self.aliases) if isinstance(call, ast.Call) else dotted(call)
        if name in carried.NO_GRADIENTS:
            if "inference" in name and leads:
                self.notes.append(f"line {node.lineno}: inference_mode is replaced by no_grad")
            return "torch.no_grad()"
        if name.endswith("enable_grad"):
            return "torch.enable_grad()"
        if name.endswith("set_grad_enabled") and isinstance(call, ast.Call) and call.args:
            value = self.constant(call.args[0])
            return "torch.enable_grad()" if value is ... or value else "torch.no_grad()"
        if name.endswith("autocast") and isinstance(call, ast.Call):
            return ast.unparse(call)
        if isinstance(call, ast.Call) and carried.patched(call, self.aliases) is not None:
            self.add(ast.copy_location(ast.Expr(call), node))
            return ""
        if name.rpartition(".")[2] in carried.QUIET_CONTEXTS:
            return "" if leads or name.endswith("device") else None
        if leads:
            raise NotUnderstood(node.lineno, f"`with {ast.unparse(call)}` around the compiled call is not understood")
        return None
