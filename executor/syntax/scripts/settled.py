"""The settings of a laid-out script, as OPTIONS; and its statements that can be neither carried over nor left out."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

import carried
import compiles
from calling import NotUnderstood
from flow import CompiledCall, Flow, Step
from slices import is_seed
from source import dotted
from toplevel import REGISTERING

KEPT = ("torch.set_", "torch.use_", "torch.backends.", "torch.autograd.set_", "torch._C.")

UNBACKED = ("_dynamo.mark_unbacked", "_dynamo.decorators.mark_unbacked")


@dataclass
class Settings:
    options: dict[str, Any] = field(default_factory=dict)
    kept: list[int] = field(default_factory=list)  # steps that stay at module level: torch's other settings
    marks: list[tuple[str, ast.expr, int, int]] = field(default_factory=list)  # option, tensor, dimension, line

    def add(self, option: str, value: Any) -> None:
        if isinstance(value, dict):
            self.options[option] = {**self.options.get(option, {}), **value}
        else:
            self.options[option] = value


def of(flow: Flow, calls: list[CompiledCall]) -> Settings:
    """All settings in effect when the first of the calls runs."""
    found = Settings()
    last = calls[-1].at
    for number, step in enumerate(flow.steps):
        if number < last or backward_in(step.node):
            take(flow, found, step, number, number < calls[0].at)
    for call in calls:
        for option, value in compiles.options_of(call.asked, flow.notes).items():
            found.add(option, value)
    for decorator in [d for n in ast.walk(flow.tree) for d in getattr(n, "decorator_list", [])]:
        for option, value in (constants(carried.patched, decorator, flow) or {}).items():
            found.add(option, value)
    contexts(flow, found, calls)
    return found


def constants(reader: Any, node: ast.AST, flow: Flow) -> Any:
    try:
        return reader(node, flow.aliases)
    except (ValueError, TypeError):
        raise NotUnderstood(node.lineno, f"`{ast.unparse(node)}` sets a value that is not constant") from None


def backward_in(node: ast.stmt) -> bool:
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            name = dotted(part.func)
            method = isinstance(part.func, ast.Attribute) and part.func.attr == "backward"
            if method or name in ("torch.autograd.grad", "autograd.grad", "torch.autograd.gradcheck"):
                return True
    return False


def take(flow: Flow, found: Settings, step: Step, number: int, early: bool) -> None:
    node = step.node
    if backward_in(node):
        found.options["backward"] = True
    call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    for option, value in (constants(carried.patched, call, flow) or {}).items() if call is not None else ():
        found.add(option, value)
        return
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    path = carried.full_name(target, flow.aliases) if isinstance(target, ast.Attribute) else ""
    setting = carried.setting_of(path)
    if setting is not None and setting[1].startswith(carried.QUIET_SETTINGS):
        return
    if setting is not None:
        value = flow.constant(node.value)
        if value is ...:
            raise NotUnderstood(step.line, f"`{ast.unparse(node)}` sets a value that is not constant")
        found.add(setting[0], {setting[1]: value})
    elif path.startswith("torch."):
        found.kept.append(number)
    elif (given := carried.variable(node)) is not None:
        environment(flow, found, step, *given)
    elif call is not None:
        take_call(flow, found, step, number, call, early)


def environment(flow: Flow, found: Settings, step: Step, name: str, value: ast.expr) -> None:
    text = str(flow.constant(value))
    if name == "OMP_NUM_THREADS" and text.isdecimal():
        found.add("threads", int(text))
    elif name in carried.VARIABLES:
        found.add("inductor_config", {carried.VARIABLES[name]: text == "1"})
    elif name.startswith(("TORCH", "PYTORCH")) and not name.startswith(carried.QUIET_VARIABLES):
        raise NotUnderstood(step.line, f"the environment variable {name} is not understood; set it in OPTIONS")


def take_call(flow: Flow, found: Settings, step: Step, number: int, call: ast.Call, early: bool) -> None:
    name = carried.full_name(call.func, flow.aliases)
    if name in ("torch.set_default_dtype", "torch.set_default_tensor_type") and call.args:
        dtype = carried.dtype_name(flow.literal(call.args[0]))
        if found.options.get("default_dtype", dtype) != dtype or not early:
            raise NotUnderstood(step.line, "the default dtype changes more than once")
        found.options["default_dtype"] = dtype
    elif name == "torch.set_num_threads" and call.args:
        found.add("threads", flow.constant(call.args[0]))
    elif name.endswith(("_dynamo.mark_dynamic", "_dynamo.maybe_mark_dynamic", *UNBACKED)) and len(call.args) > 1:
        dimensions = flow.constant(call.args[1])
        option = "mark_unbacked" if name.endswith(UNBACKED) else "mark_dynamic"
        for dimension in dimensions if isinstance(dimensions, (list, tuple)) else [dimensions]:
            found.marks.append((option, call.args[0], dimension, step.line))
    elif name == "setattr" and len(call.args) == 3 and carried.full_name(call.args[0], flow.aliases) in carried.CONFIGS:
        option = carried.CONFIGS[carried.full_name(call.args[0], flow.aliases)]
        found.add(option, {flow.constant(call.args[1]): flow.constant(call.args[2])})
    elif name.startswith("torch.") and not carried.is_quiet(name) and not is_seed(step.node):
        internal = ("torch.compiler.set_stance", "torch._dynamo.", "torch._inductor.", "torch._functorch.")
        if name.startswith(internal) and not any(word in name for word in REGISTERING):
            raise NotUnderstood(step.line, f"`{ast.unparse(call)}` is not understood")
        if name.startswith(KEPT) or any(word in name for word in REGISTERING):
            found.kept.append(number)


def contexts(flow: Flow, found: Settings, calls: list[CompiledCall]) -> None:
    """Autocast and gradients around the calls."""
    casts = []
    for call in calls:
        here: bool | str = False
        for text in call.within:
            context = ast.parse(text, mode="eval").body
            name = carried.full_name(context.func, flow.aliases)
            if name.endswith("autocast"):
                here = carried.autocast_of(context, name)
        casts.append(here)
    if len(set(casts)) > 1:
        flow.notes.append("some calls run under autocast and others do not: all run like the first")
    if casts[0]:
        found.options["autocast"] = casts[0]
    if calls[0].grad:
        found.options["grad"] = True
    elif found.options.get("backward"):
        flow.notes.append("the compiled call runs without gradients, so there is no backward pass")
        del found.options["backward"]


def of_module(flow: Flow) -> tuple[dict[str, Any], list[ast.stmt]]:
    """OPTIONS for what a program in our form sets at module level, and the statements that they replace."""
    found = Settings()
    replaced = []
    for node in flow.tree.body:
        before = repr(found.options)
        if isinstance(node, (ast.Assign, ast.Expr)):
            take(flow, found, Step(node, node.lineno), 0, True)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            flow.values[node.targets[0].id] = node.value
        if repr(found.options) != before:
            replaced.append(node)
    return found.options, replaced
