"""Every call of one operator, or its sign, replaced by another operator that takes the same arguments or runs the same
code of the compiler."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from families import SIBLINGS
from source import Change, Source
from variants import SIGNS, is_number, sibling_calls

FORMS = {"div": ('rounding_mode="floor"', 'rounding_mode="trunc"')}
"""Arguments that make another operator of one: the compiler has a function for each."""

CALL_OF_SIGN: dict[type[ast.operator], tuple[str, str]] = {
    **SIGNS,
    ast.Mod: ("remainder", "%"),
    ast.FloorDiv: ("floor_divide", "//"),
    ast.Pow: ("pow", "**"),
    ast.BitAnd: ("bitwise_and", "&"),
    ast.BitOr: ("bitwise_or", "|"),
    ast.BitXor: ("bitwise_xor", "^"),
    ast.LShift: ("bitwise_left_shift", "<<"),
    ast.RShift: ("bitwise_right_shift", ">>"),
    ast.MatMult: ("matmul", "@"),
}


def replacements(code: Source, operator: str, siblings: list[str]) -> Iterator[tuple[str, list[Change]]]:
    """What to write, as `sub` or `div(rounding_mode="floor")`, and the edits that write it. Of `siblings`, the nearest
    first, those of the operator's family come first, then the others, then the rest of the family."""
    family = [name for names in SIBLINGS if operator in names for name in names]
    given = dict.fromkeys(name for name in siblings if not name.endswith("_backward"))
    in_family = [name for name in given if name in family]
    for sibling in dict.fromkeys([*in_family, *given, *family]):
        for form in (*FORMS.get(sibling, ()), ""):
            if sibling != operator or form:
                nodes = list(ast.walk(code.tree))
                changes = [change for node in nodes for change in replaced(code, node, operator, sibling, form)]
                yield (f"{sibling}({form})" if form else sibling), changes


def replaced(code: Source, node: ast.AST, operator: str, sibling: str, form: str) -> Iterator[Change]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == operator:
        end = code.end(node.func)
        yield end - len(operator), end, sibling
        yield from with_form(code, node, operator, form)
    elif isinstance(node, ast.BinOp) and not is_number(node) and CALL_OF_SIGN[type(node.op)][0] == operator:
        yield from of_sign(code, node, sibling, form)


def with_form(code: Source, call: ast.Call, operator: str, form: str) -> Iterator[Change]:
    """`rounding_mode` and the like go with the operator whose they are."""
    own = {text.partition("=")[0] for text in FORMS.get(operator, ())}
    before = call.func
    for argument in sorted([*call.args, *call.keywords], key=code.start):
        if isinstance(argument, ast.keyword) and argument.arg in own and before is not call.func:
            yield code.end(before), code.end(argument), ""
        else:
            before = argument
    if form:
        yield code.end(call) - 1, code.end(call) - 1, f", {form}"


def of_sign(code: Source, node: ast.BinOp, sibling: str, form: str) -> Iterator[Change]:
    offered = [change for _, _, offers in sibling_calls(code, node) for name, change in offers if name == sibling]
    if offered and not form:
        yield from offered
        return
    gap = code.data[code.end(node.left) : code.start(node.right)].decode("utf-8")
    sign = CALL_OF_SIGN[type(node.op)][1]
    if gap.count(sign) == 1:
        at = code.end(node.left) + len(gap[: gap.index(sign)].encode("utf-8"))
        yield code.start(node), code.start(node), f"torch.{sibling}("
        yield at, at + len(sign), ","
        yield code.end(node), code.end(node), f", {form})" if form else ")"
