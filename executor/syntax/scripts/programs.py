"""What kind of text a program is: our form, a script, or one written by the minifier; and what is wrong with it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import minifier
import option_rules
import options
import settled
from calling import NotUnderstood
from compiles import Compilers
from flow import Flow
from leads import is_module_class
from source import Source
from wrapped import Wrapper, import_text, wrap

NO_MODEL = "no model: define class Model or decorate one function with @torch.compile, and call it with its inputs"
Fixed = Callable[[Source, list[str]], Source]


def laid_out(code: Source, done: list[str], fixed: Fixed) -> Source:
    """A program in our form, as far as its text shows what it is. Raises NotUnderstood, with the line. `fixed`: the
    free fixes, which can make a program of a plain script."""
    for node in option_rules.changes(code.tree):
        raise NotUnderstood(node.lineno, "OPTIONS is changed here; write it as one constant dict")
    if is_complete(code):
        return with_settings(code, done)
    if minifier.is_repro(code):
        return minifier.convert(code, done)
    if code.function_named("get_inputs") is not None:
        return with_settings(code, done)
    flow = Flow(code.tree)
    flow.run()
    if not flow.calls:
        return with_settings(code, done)
    wrapper = Wrapper(code, flow)
    given = wrapper.options()
    notes = list(dict.fromkeys(flow.notes))
    if given:
        notes.append(f"OPTIONS from the script: {given}")
    if wrapper.is_plain():
        plain = with_settings(Source(options.merge(code, {**given, **(options.read(code.tree) or {})})), [])
        trial = fixed(plain, [])
        if is_complete(trial):
            done += notes
            return without_imports(plain, unused_imports(trial), done)
    wrapped = wrap(code, wrapper, done)
    done += notes
    return wrapped


def unused_imports(code: Source) -> set[str]:
    """Statements that import names the converted program does not use: the package need not exist."""
    used = {n.id for n in ast.walk(code.tree) if isinstance(n, ast.Name)}
    texts = {
        ast.unparse(n): import_text(n, used) for n in code.tree.body if isinstance(n, (ast.Import, ast.ImportFrom))
    }
    return {text for text, kept in texts.items() if not kept}


def without_imports(code: Source, texts: set[str], done: list[str]) -> Source:
    going = [n for n in code.tree.body if isinstance(n, (ast.Import, ast.ImportFrom)) and ast.unparse(n) in texts]
    done += [f"removed `{ast.unparse(node)}`, which is then unused" for node in going]
    return code.changed(code.removals(going, code.tree.body)) if going else code


def is_complete(code: Source) -> bool:
    return code.class_named("Model") is not None and code.function_named("get_inputs") is not None


def with_settings(code: Source, done: list[str]) -> Source:
    """Module-level settings go into OPTIONS; what OPTIONS state themselves stays."""
    found, replaced = settled.of_module(Flow(code.tree))
    if not found:
        return code
    present = options.read(code.tree) or {}
    if options.statement(code.tree) is not None and options.read(code.tree) is None:
        return code  # which is refused because of that
    for statement in replaced:
        done.append(f"line {statement.lineno}: `{ast.unparse(statement)[:80]}` was moved to OPTIONS")
    shorter = code.changed(code.removals(replaced, code.tree.body))
    return Source(options.override(shorter, joined(found, present)))


def joined(found: dict[str, Any], present: dict[str, Any]) -> dict[str, Any]:
    result = {**found, **present}
    for name, value in found.items():
        if isinstance(value, dict) and isinstance(present.get(name), dict):
            result[name] = {**value, **present[name]}
    return result


def problem(code: Source) -> str:
    """Why a program cannot be used, in words for the user; empty if it can."""
    wrong = option_rules.problem(code.tree)
    if wrong or is_complete(code):
        return wrong
    if code.class_named("Model") is not None:
        return "no inputs: define get_inputs(), or call the model with its inputs"
    compilers = Compilers(code.tree)
    for node in ast.walk(code.tree):
        asked = compilers.asked(node) or compilers.decorated(node)
        if asked is not None:
            return f"line {asked.line}: the compiled function is not called in a supported way; call it with its inputs"
    classes = {n.name: n for n in code.tree.body if isinstance(n, ast.ClassDef)}
    modules = [name for name, node in classes.items() if is_module_class(node, classes)]
    if len(modules) > 1:
        return f"no model: {', '.join(modules)} are modules; name one of them Model, or call one with its inputs"
    return NO_MODEL
