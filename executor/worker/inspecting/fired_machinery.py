"""The functions of torch's compiler that nearly every program enters: those that a few plain programs do."""

import os
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import modes
import parityd_worker
import state
from fired_counts import Counts
from fired_kinds import Registered
from fired_trace import Trace
from graph_forms import Everything
from inspect_minify import silent
from program import Program
from torch_units import Unit

if TYPE_CHECKING:
    from inspect_subject import Subject

_ONE = """
    class Model(torch.nn.Module):
        def forward(self, x):
            return x + 1

    def get_inputs():
        return [torch.randn(3, 4)]
"""
_MANY = """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(8, 6)
            self.register_buffer("seen", torch.zeros(6))
            self.scales = [2.0, 3]
            self.names = {"a": 1}

        def forward(self, x, y, flag=True):
            hidden = torch.relu(self.linear(x)) * self.scales[0]
            with torch.no_grad():
                self.seen.add_(hidden.detach()[0])
            parts = [hidden[:, 1:], hidden.t().reshape(-1)]
            for number, part in enumerate(parts):
                if part.dim() > 1 and flag and "a" in self.names:
                    parts[number] = part.unsqueeze(0) - self.scales[1] / (part.abs() + 1)
            flags = (y.to(torch.float32) > 1) & (y >= 0)
            picked = torch.where(flags, y, y.view(-1).expand(y.shape))
            shape = x.size(0) * x.shape[1]
            return {"parts": parts, "rest": (picked, parts[0].contiguous(), y.clone().mul_(shape))}

    def get_inputs():
        return [torch.randn(5, 8), torch.arange(4)]
"""
_FAMILIES = """
    class Model(torch.nn.Module):
        def forward(self, x, at):
            picked = torch.cat([x[at], torch.nn.functional.relu(input=x, inplace=False)])
            shifted = torch.exp(x) / (x + torch.arange(8) + torch.ones(8))
            return picked.sum(1), shifted, picked.index_put((at,), x[0]), torch.histc(x)

    def get_inputs():
        return [torch.randn(5, 8), torch.tensor([1, 3])]
"""
_COMPILED = 0  # as `compile_from` of modes.Plan: compiled, or only generated
_GENERATED = 1


@dataclass(frozen=True)
class Machinery:
    plain: set[Unit]  # what nearly every program enters
    common: set[Unit]  # what one enters that reduces, indexes with a tensor, creates one or calls an eager kernel
    lines: dict[Unit, set[int]]  # that ran in either

    def enters(self, unit: Unit) -> bool:
        return unit in self.plain or unit in self.common

    def own_lines(self, unit: Unit, lines: set[int]) -> set[int]:
        """Those of the lines that run for no plain program."""
        return lines - self.lines.get(unit, set())


def machinery(subject: "Subject") -> Machinery:
    backward = subject.program.options.backward
    one, many = _entered(subject, _ONE, _COMPILED, False), _entered(subject, _MANY, _GENERATED, backward)
    families = _entered(subject, _FAMILIES, _GENERATED, backward)
    lines: dict[Unit, set[int]] = {}
    for entered in (one, many, families):
        for unit, ran in entered.items():
            lines.setdefault(unit, set()).update(ran)
    plain = {*one, *many}
    return Machinery(plain, {*families} - plain, lines)


def _entered(subject: "Subject", text: str, compile_from: int, backward: bool) -> dict[Unit, set[int]]:
    """With the lines that ran."""
    mode, message = subject.own_mode, subject.message
    options = f"\nOPTIONS = {{'mode': {mode!r}, 'backward': {backward}}}\n"
    program = Program("import torch\n" + textwrap.dedent(text) + options, os.path.join(subject.folder, "plain.py"))
    plan = modes.Plan(mode, mode, message["device"], message["seed"], compile_from=compile_from)
    execution = modes.Execution(program, plan, parityd_worker.Recorder(mode), lambda _: None, Everything())
    trace = Trace()
    counts = Counts(trace)
    with silent(), counts.watching(), trace:
        execution.run()
    state.reset_torch()
    return {unit: set() for unit in Registered(counts).statements()} | {
        unit: entered.lines for unit, entered in trace.units().items()
    }
