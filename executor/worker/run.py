"""One `run` message: the program in each mode asked for, then the evidence."""

import contextvars
import functools
import json
import os
import time
from collections.abc import Callable
from typing import Any

import modes
import parityd_worker
import state
from program import Program


class Run:
    """Gathers outcomes and records as the modes end."""

    def __init__(
        self, message: dict[str, Any], baseline: state.Baseline, send: Callable[[dict[str, Any]], None]
    ) -> None:
        self.message = message
        self.baseline = baseline
        self.send = send
        self.program = Program(message["program"], message["file"])
        self.recorders: dict[str, Any] = {}
        self.outcomes: dict[str, Any] = {}
        self.warnings = list(self.program.warnings)
        self.chosen = self.program.options.mode if message["choose_compiled"] else "inductor"

    def result(self) -> dict[str, Any]:
        lost = name = ""
        for asked in self.message["modes"]:
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
        }
        self.recorders.clear()  # what they keep is not what the program left behind
        self.report_step(name, "reset")
        started = time.perf_counter()
        # A fresh child ends with this answer, so what its program left behind matters to nobody.
        changes = [] if self.message["fresh"] else self.baseline.changes()
        tainted = lost or ("state changed: " + ", ".join(changes)[:400] if changes else "")
        health = state.health(time.perf_counter() - started)
        return {
            "type": "result",
            "id": self.message["id"],
            "evidence": evidence,
            "tainted": tainted,
            "health": health,
        }

    def report_step(self, mode: str, step: str) -> None:
        self.send({"type": "step", "id": self.message["id"], "mode": mode, "step": step})

    def compiled(self) -> str:
        """The compiled mode the others are judged around: the program's own, or the one that was asked for."""
        asked = self.message["modes"]
        choices = [mode for mode in asked if mode in modes.INDUCTOR_SETTINGS]
        return choices[0] if choices and "inductor" not in asked else self.chosen

    def run_mode(self, name: str) -> str:
        """Runs one mode; returns why the process is lost, if it is."""
        base = name if name in modes.INDUCTOR_SETTINGS else self.compiled()
        plan = modes.Plan(name, base, self.message["device"], self.message["seed"])
        recorder = parityd_worker.Recorder(name, on_device=not self.message["artefacts"])
        execution = modes.Execution(self.program, plan, recorder, functools.partial(self.report_step, name))
        try:
            contextvars.copy_context().run(execution.run)
        except BaseException:  # what even reporting the program's error did not survive
            self.baseline.restore()
            raise
        recorder.next_phase()
        self.outcomes[name] = execution.outcome
        self.warnings += [warning for warning in execution.warnings if warning not in self.warnings]
        ran = execution.outcome["kind"] == "ran"
        if plan.double and not ran:
            error = execution.outcome["error"]
            self.warnings.append(f"no double run: {name}: {error['outer_class']}: {error['message']}"[:300])
        if ran:
            self.recorders[name] = recorder
        if self.message["artefacts"]:
            self.write_artefact(name, recorder if ran else parityd_worker.Recorder(name))
        lost = state.cuda_error()
        self.baseline.restore()
        if not lost:
            state.reset_torch()
        return lost

    def write_artefact(self, name: str, recorder: Any) -> None:
        folder = self.message["artefacts"]
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{name}.run")
        parityd_worker.write_artefact(path, json.dumps(self.outcomes[name], allow_nan=False), recorder)

    def measurements(self) -> list[Any]:
        pairs = list(parityd_worker.pairs_to_measure(self.compiled()))
        pairs += [("eager", name) for name in self.recorders if name != "eager" and ("eager", name) not in pairs]
        return json.loads(parityd_worker.compare(list(self.recorders.values()), pairs))
