"""What kind of function each of those that fired is, and for which operators it is registered."""

import ast
import collections
import functools
import re
from typing import Any

import torch
from fired_counts import Counts
from fired_trace import unit_of_function
from torch_units import Unit, is_statement, parsed

# The file says which kind a function is, if no table does: the first that fits. "" is left out: it builds and loads
# what was generated, and says nothing about the program.
_KINDS = (
    ("torch/_inductor/fx_passes/", "pass"),
    ("torch/_inductor/pattern_matcher.py", "machinery"),
    ("torch/_inductor/codecache.py", ""),
    ("torch/_inductor/cpp_builder.py", ""),
    ("torch/_inductor/async_compile.py", ""),
    ("torch/_inductor/cpu_vec_isa.py", ""),
    ("torch/_inductor/debug.py", ""),
    ("torch/_inductor/exc.py", ""),
    ("torch/_inductor/metrics.py", ""),
    ("torch/_inductor/output_code.py", "machinery"),
    ("torch/_inductor/compile_fx", "machinery"),
    ("torch/_inductor/utils.py", "machinery"),
    ("torch/_inductor/runtime/", ""),
    ("torch/_inductor/ops_handler.py", "machinery"),
    ("torch/_inductor/virtualized.py", "machinery"),
    ("torch/_inductor/loop_body.py", "machinery"),
    ("torch/_inductor/dependencies.py", "machinery"),
    ("torch/_inductor/shape_propagation.py", "machinery"),
    ("torch/_inductor/codegen/", "codegen"),
    ("torch/_inductor/decomposition.py", "decomposition"),
    ("torch/_inductor/lowering.py", "lowering"),
    ("torch/_inductor/", "inductor"),
    ("torch/_decomp/", "decomposition"),
    ("torch/_refs/", "decomposition"),
    ("torch/_prims", "machinery"),
    ("torch/_meta_registrations.py", "meta"),
    ("torch/_subclasses/", "machinery"),
    ("torch/_dynamo/variables/", "dynamo"),
    ("torch/_dynamo/polyfills/", "dynamo"),
    ("torch/_dynamo/symbolic_convert.py", "dynamo"),
    ("torch/_dynamo/side_effects.py", "dynamo"),
    ("torch/_dynamo/", "machinery"),
    ("torch/_functorch/", "autograd"),
    ("torch/fx/", "machinery"),
    ("torch/utils/_sympy/numbers.py", "machinery"),
    ("torch/utils/_sympy/", "sympy"),
    ("torch/utils/", "machinery"),
    ("torch/", "other"),
)
# The likeliest place of a mistake first.
ORDER = (
    *("rewrite", "lowering", "decomposition", "pass", "inductor", "codegen", "sympy"),
    *("autograd", "dynamo", "meta", "other"),
)


class Registered:
    """The functions that torch's tables name for the operators that fired."""

    def __init__(self, counts: Counts) -> None:
        self._kinds: dict[Unit, str] = {}
        self._operators: dict[Unit, set[str]] = {}
        fired = [name.partition(":") for name in counts.counts]
        lowered = {name for kind, _, name in fired if kind == "fallback"} | counts.begun
        decomposed = {name for kind, _, name in fired if kind == "decomposition"}
        for name, handler in counts.handlers.items():
            unit = unit_of_function(handler)
            if unit is not None:
                self._add(unit, "pass" if name.startswith("pass:") else "rewrite", name.removeprefix("pass:"))
        for table, kind, operators in (
            (lowering_table(), "lowering", lowered),
            (decomposition_table(), "decomposition", decomposed),
        ):
            for operator, unit in registrations(table).items():
                if operator in operators:
                    self._add(unit, kind, operator)

    def _add(self, unit: Unit, kind: str, operator: str) -> None:
        self._kinds.setdefault(unit, kind)
        self._operators.setdefault(unit, set()).add(operator)

    def __contains__(self, unit: Unit) -> bool:
        return unit in self._kinds

    def kind(self, unit: Unit) -> str:
        if unit in self._kinds:
            return self._kinds[unit]
        return next(kind for start, kind in _KINDS if unit.file.startswith(start))

    def operators(self, unit: Unit) -> set[str]:
        return self._operators.get(unit, set())

    def statements(self) -> list[Unit]:
        """Registrations that are no functions of their own."""
        return [unit for unit, kind in self._kinds.items() if is_statement(unit)]


MOST_SHARED = 8  # operators; a function registered for more of them is a maker of functions


def registrations(table: dict[Any, Any]) -> dict[str, Unit]:
    """Which function, or which statement that makes one, a table has for an operator."""
    units = {str(operator): unit for operator, function in table.items() if (unit := unit_of_function(function))}
    shared = collections.Counter(units.values())
    return {
        operator: unit if shared[unit] <= MOST_SHARED else statement_about(operator, unit)
        for operator, unit in units.items()
    }


@functools.cache
def _statements(file: str) -> dict[str, Unit]:
    """By the operators that they name: "aten.relu"."""
    found: dict[str, Unit] = {}
    for one in parsed(file):
        if isinstance(one.node, (ast.Assign, ast.Expr, ast.AnnAssign)):
            for name in re.findall(r"\b(?:aten|prims)\.\w+", ast.unparse(one.node)):
                found.setdefault(name, one.unit)
    return found


def statement_about(operator: str, unit: Unit) -> Unit:
    return _statements(unit.file).get(".".join(operator.split(".")[:2]), unit)


def lowering_table() -> dict[Any, Any]:
    from torch._inductor import lowering

    return dict(lowering.lowerings)


def decomposition_table() -> dict[Any, Any]:
    from torch._decomp import global_decomposition_table
    from torch._inductor import decomposition

    found = dict(decomposition.select_decomp_table())
    for operators in torch.ops.aten.__dict__.values():
        if isinstance(operators, torch._ops.OpOverloadPacket):
            for name in operators.overloads():
                kernels = getattr(operators, name).py_kernels
                key = torch._C.DispatchKey.CompositeImplicitAutograd
                if key in kernels and callable(kernels[key]):
                    found.setdefault(getattr(operators, name), kernels[key])
    for operator, function in global_decomposition_table.get("post_autograd", {}).items():
        found.setdefault(operator, function)
    return found


def meta_table() -> dict[Any, Any]:
    from torch._decomp import meta_table as table

    return dict(table)
