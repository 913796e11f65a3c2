"""One `run` message: runs the program in each requested mode, then collects the evidence."""

import contextvars
import dataclasses
import functools
import json
import os
import time
from collections.abc import Callable
from typing import Any

import mode_table
import modes
import parityd_worker
import state
from ablation import Ablation
from graph_forms import Graphs
from program import Program


@dataclasses.dataclass
class Done:
    """Result of one mode and, if the process is unusable after it, why."""

    outcome: dict[str, Any]
    recorder: Any
    warnings: list[str]
    values: list[dict[str, Any]]
    lost: str


class Run:
    """Gathers outcomes and records as the modes end."""

    def __init__(
        self,
        message: dict[str, Any],
        baseline: state.Baseline,
        send: Callable[[dict[str, Any]], None],
        known_forms: set[int],
    ) -> None:
        self.message = message
        self.baseline = baseline
        self.send = send
        self.program = Program(message["program"], message["file"])
        self.recorders: dict[str, Any] = {}
        self.outcomes: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.values: list[dict[str, Any]] = []
        self.known_forms = known_forms
        self.features: list[str] = []  # of the compiled mode, like the next; fresh runs are only for their bytes
        self.graphs: Graphs | None = None
        self.reference: Done | None = None
        self.ablation = Ablation(message["neutralisers"])
        self.chosen = self.program.options.mode if message["choose_compiled"] else "inductor"

    def result(self) -> dict[str, Any]:
        lost = name = ""
        for asked in [] if self.ablation.useless else self.message["modes"]:
            if lost:
                break
            name = self.chosen if asked == "inductor" else asked
            lost = self.run_mode(name)
        self.report_step(name, "compare")
        evidence = {
            "compiled": self.compiled(),
            "outcomes": self.outcomes,
            "measurements": [] if lost or self.message["artefacts"] else self.measurements(),
            "warnings": self.warnings,
            "untried": self.ablation.untried,
            "features": self.features,
            **(self.graphs.told() if self.graphs else {}),
        }
        self.recorders.clear()  # what they keep was not left behind by the program
        self.report_step(name, "reset")
        started = time.perf_counter()
        # A fresh child ends with this answer, so what its program left behind does not matter.
        changes = [] if self.message["fresh"] else self.baseline.changes()
        tainted = lost or ("state changed: " + ", ".join(changes)[:400] if changes else "")
        health = state.health(time.perf_counter() - started)
        return {
            "type": "result",
            "id": self.message["id"],
            "evidence": evidence,
            "tainted": tainted,
            "health": health,
            "values": json.dumps(self.values, allow_nan=False),
        }

    def report_step(self, mode: str, step: str) -> None:
        if mode:  # none ran
            self.send({"type": "step", "id": self.message["id"], "mode": mode, "step": step})

    def compiled(self) -> str:
        """The compiled mode around which the others are judged: the program's own, or the one requested."""
        asked = self.message["modes"]
        choices = [mode for mode in asked if mode in mode_table.CHOSEN]
        return choices[0] if choices and "inductor" not in asked else self.chosen

    def run_mode(self, name: str) -> str:
        """Runs one mode; if the process is unusable afterwards, returns why."""
        plan = self.plan(name)
        done = self.execute_double(plan) if plan.row.in_double else self.execute(plan, name)
        self.outcomes[name] = done.outcome
        self.warnings += [warning for warning in done.warnings if warning not in self.warnings]
        self.values += done.values
        ran = done.outcome["kind"] == "ran"
        if plan.row.in_double and not ran:
            self.warnings.append(f"no double run: {name}: {_error(done)}"[:300])
        if ran:
            self.recorders[name] = done.recorder
        if self.message["artefacts"]:
            self.write_artefact(name, done.recorder if ran else parityd_worker.Recorder(name))
        return done.lost

    def plan(self, name: str) -> modes.Plan:
        base = name if name in mode_table.CHOSEN else self.compiled()
        values = name == "eager" and self.message.get("values", False)
        return modes.Plan(
            name,
            base,
            self.message["device"],
            self.message["seed"],
            values=values,
            compile_from=self.message.get("compile_from", 0),
            ablation=self.ablation,
        )

    def execute(self, plan: modes.Plan, reported: str) -> Done:
        """Runs the mode in a state like the first one's; its steps are reported under the mode it serves."""
        recorder = parityd_worker.Recorder(plan.name, on_device=not self.message["artefacts"])
        told = plan.name == self.compiled() and not self.message["fresh"]
        execution = modes.Execution(
            self.program,
            plan,
            recorder,
            functools.partial(self.report_step, reported),
            self.known_forms if told else None,
        )
        context = contextvars.copy_context()  # where newer torches keep their settings
        try:
            context.run(execution.run)
            execution.outcome["replaced"] = context.run(self.baseline.replaced_code.names, self.message["fresh"])
        except BaseException:  # raised even while the program's error was being reported
            self.report_step(reported, "reset")
            self.baseline.restore()
            raise
        recorder.next_phase()
        if told:
            self.features = execution.features
            self.graphs = execution.graphs
        lost = state.device_error() or state.exhaustion(execution.outcome)
        self.report_step(reported, "reset")  # objects of the program end here, through their own code
        self.baseline.restore()
        if not lost:
            state.reset_torch()
        return Done(execution.outcome, recorder, execution.warnings, execution.values, lost)

    def execute_double(self, plan: modes.Plan) -> Done:
        reference = self.double_reference(plan.name)
        if plan.name == "reference" or reference.lost:
            return reference
        return self.execute(dataclasses.replace(plan, way=reference.outcome["double_way"]), plan.name)

    def double_reference(self, reported: str) -> Done:
        """Determined once per process, and in each by the same runs, so that reference and inductor_fp64 go the same
        way wherever they run. Widened if the program runs so: its casts stay casts there, and a compiler that drops one
        is exposed. Otherwise lifted, if the captured graph does what eager does."""
        if self.reference is None:
            self.reference = self.execute(dataclasses.replace(self.plan("reference"), way=modes.WIDENED), reported)
            settled = self.reference.outcome["kind"] == "ran" or self.program.options.own_random
            # otherwise it would not match what the reference is compared with
            lifts = not mode_table.ROWS[self.compiled()].route
            if not settled and lifts and not self.reference.lost and self.is_captured_truly(reported):
                lifted = self.execute(dataclasses.replace(self.plan("reference"), way=modes.LIFTED), reported)
                if lifted.outcome["kind"] == "ran":
                    self.reference = lifted
                else:
                    self.warnings.append(f"double run: not lifted: {_error(lifted)}"[:300])
        return self.reference

    def is_captured_truly(self, reported: str) -> bool:
        """A fault in capturing would be in the lifted graph, too, and cancel out between two runs of it."""
        runs = {}
        for name in ("eager", "dynamo_eager"):
            runs[name] = self.recorders.get(name)
            if runs[name] is None:
                done = self.execute(self.plan(name), reported)
                if done.lost or done.outcome["kind"] != "ran":
                    return False
                runs[name] = done.recorder
        (measured,) = json.loads(parityd_worker.compare(list(runs.values()), [("eager", "dynamo_eager")]))
        strays = [leaf["path"] for leaf in measured["leaves"] if leaf["group"] != "input" and leaf_strays(leaf)]
        if strays:
            self.warnings.append(f"double run: not lifted: captured, {strays[0]} is another"[:300])
        return not strays

    def write_artefact(self, name: str, recorder: Any) -> None:
        folder = self.message["artefacts"]
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{name}.run")
        parityd_worker.write_artefact(path, json.dumps(self.outcomes[name], allow_nan=False), recorder)

    def measurements(self) -> list[Any]:
        alone = ("eager", "eager_otherwise")  # leaves of eager_otherwise are not the program's
        pairs = list(parityd_worker.pairs_to_measure(self.compiled()))
        pairs += [("eager", name) for name in self.recorders if name not in alone and ("eager", name) not in pairs]
        return json.loads(parityd_worker.compare(list(self.recorders.values()), pairs))


def _error(done: Done) -> str:
    error = done.outcome["error"]
    return f"{error['outer_class']}: {error['message']}"


def leaf_strays(leaf: dict[str, Any]) -> bool:
    """Whether a leaf differs by more than the order of a sum can explain."""
    facts = ("missing", "type_differs", "dtype_differs", "shape_differs", "nan_differs", "inf_differs")
    exact = not leaf.get("dtype", "").startswith(("float", "bfloat", "complex"))
    return (
        any(leaf.get(fact) for fact in (*facts, "exceeds_tolerance"))
        or leaf.get("max_scaled", 0) > 1
        or bool(exact and leaf.get("unequal"))
    )
