"""How each mode runs a program: what is lifted to double, what is compiled and with which settings."""

import contextlib
import re
import time
import types
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from typing import Any

import backward
import capture
import coverage
import draws
import errors
import leaves
import mode_table
import otherwise
import rounding
import routes
import size_marks
import torch
import watch
from ablation import Ablation, holding
from device import Mover
from device_kinds import KINDS, Kind
from doubles import Doubles
from graph_forms import Everything, Graphs, watched
from left_behind import Group, LeftBehind, named
from option_check import config_of, has_setting
from program import Arguments, Program, build_model, make_inputs, seed_everything
from subject import Subject
from values import Values

ALWAYS = {
    # Unless told to, Dynamo does not look for a hook added after the first call.
    "dynamo": {"suppress_errors": False, "skip_nnmodule_hook_guards": False},
    "functorch": {"enable_autograd_cache": False},
    "inductor": {"fx_graph_cache": False, "fallback_random": True},
}

# By default the compiler assumes that backward runs under forward's autocast. Here it runs outside of it, as PyTorch's
# documentation of autocast asks for.
BACKWARD_AUTOCAST = "backward_pass_autocast"

LIFTED = "lifted"  # a double run of the captured graphs (doubles.py)
WIDENED = "double"  # a double run of the program with its inputs and its model in double


class NothingCaptured(Exception):
    """There is no graph to lift."""


class DrawsOtherwise(Exception):
    """A double run draws other random numbers, so there is nothing to compare it with."""


class NothingSubnormal(Exception):
    """Without subnormal inputs, the run would repeat an existing one."""


@dataclass(frozen=True)
class Plan:
    """One mode of one program."""

    name: str
    base: str  # the compiled mode whose settings it uses
    device: str
    seed: int
    way: str = ""  # for a double run: LIFTED or WIDENED
    values: bool = False  # record what the program's names hold
    compile_from: int = 0  # as in Graphs (graph_forms.py)
    ablation: Ablation = field(default_factory=lambda: Ablation([]))

    @property
    def row(self) -> mode_table.Row:
        return mode_table.ROWS[self.name]

    @property
    def kind(self) -> Kind:
        return KINDS[self.device]

    @property
    def compiles(self) -> bool:
        return bool(self.row.backend)

    @property
    def route(self) -> str:
        return mode_table.ROWS[self.base].route

    @property
    def backend(self) -> str:
        """The modes of the stage runs have their own; what runs beside the compiled mode uses that mode's."""
        return self.row.backend if self.row.look in ("stage", "trial") else mode_table.ROWS[self.base].backend


class Execution:
    """Runs one mode. Reports each step as it begins; afterwards `outcome` and, if it ran, `recorder` hold the
    result."""

    def __init__(
        self,
        program: Program,
        plan: Plan,
        recorder: Any,
        report_step: Callable[[str], None],
        known_forms: Container[int] | None = None,
    ) -> None:
        """`known_forms`: see Graphs; None: the forms of its graphs do not matter."""
        self.program = program
        self.plan = plan
        self.recorder = recorder
        self.warnings: list[str] = []
        self.outcome: dict[str, Any] = {}
        self.observations: list[dict[str, Any]] = []
        self.values: list[dict[str, Any]] = []
        self.features: list[str] = []
        self.graphs = self._graphs(known_forms)
        self._report_step = report_step
        self._step = "start"
        self._replaced = 0
        self._below = False
        self._doubles: Doubles | None = None

    def run(self) -> None:
        started = time.perf_counter()
        error = None
        with capture.watching() as captured, watched(self.graphs):
            try:
                self._enter("start")
                self._make_device_ready()
                self._run_mode()
            except BaseException as caught:  # SystemExit and the like are also the program's doing
                self._report_step("measure")  # an error's text is computed by the program's code, not by compiled code
                error = errors.report(caught, self.program.file, self.program.source)
                errors.clear(caught)
        if self.plan.row.look == "chosen":
            self.features = coverage.of_run(captured)
        self.outcome = {
            "kind": "raised" if error else "ran",
            "step": self._step,
            "seconds": time.perf_counter() - started,
            "graphs": captured.graphs,
            "operators": captured.operators,
            "lowered": sorted(captured.lowered),
            "decomposed": sorted(captured.decomposed),
            "seeded": sorted(captured.seeded),
            "private": sorted(captured.private),
            "observations": self.observations,
            "fallbacks": captured.fallbacks,
            "double_way": self.plan.way,
        }
        if error:
            self.outcome["error"] = error

    def _graphs(self, known: Container[int] | None) -> Graphs:
        """If a program sets Inductor's options itself, its code is the point."""
        row, options = self.plan.row, self.program.options
        if row.uncompiled:
            return Graphs(Everything(), compile_from=1)
        if row.look != "chosen" or options.inductor_config or mode_table.ROWS[self.plan.base].is_exported:
            known = None
        settings = [self.plan.name] if row.settings else []
        settings += ["own_random"] if options.own_random else []
        return Graphs(known, self.plan.compile_from, " ".join(settings), self.plan.ablation.graph)

    def _enter(self, step: str) -> None:
        self._step = step
        self._report_step(step)

    def _make_device_ready(self) -> None:
        """A process's first use of a GPU takes seconds, many on a busy machine: not to be counted as the program's
        time."""
        if self.plan.kind.is_gpu:
            torch.zeros(1, device=self.plan.device)
            self.plan.kind.synchronize()

    def _run_mode(self) -> None:
        with self.program.options.by_default():
            self._run_observed()

    def _run_observed(self) -> None:
        if self.plan.row.function:
            globals()[self.plan.row.function](self)
        elif self.plan.values:
            values = Values(self.program.file)
            try:
                self.run_steps(self.recorder, values)
            finally:  # if it raises, what came before is still known
                self.values = values.described()
        else:
            self.run_steps(self.recorder, contextlib.nullcontext())

    def run_steps(self, recorder: Any, observer: Any, below: bool = False) -> None:
        """`observer` is entered around the calls and the backward pass; a Watch is told which leaves they reached.
        `below`: the model is called through torch.compile's own frames, uncompiled."""
        options, plan = self.program.options, self.plan
        self._below = below
        if plan.kind.row.threads:
            torch.set_num_threads(
                options.threads
            )  # Inductor generates loops for this number, and eager's kernels use it
        seed_everything(plan.seed)
        self._enter("import_program")
        module = self.program.load()
        self._enter("inputs")
        calls = self._calls(module)
        self._enter("model")
        seed_everything(plan.seed)
        mover = Mover(plan.device, plan.way == WIDENED, normal=plan.row.normal)
        model = mover.model(build_model(module).train(options.train))
        self._replaced += mover.replaced
        if plan.row.normal and self._replaced == 0:
            raise NothingSubnormal("no input, parameter or buffer is subnormal")
        given = calls[-1]
        if plan.way == LIFTED:
            self._doubles = Doubles(plan.device, self._lifted_target if plan.compiles else None)
            doubles = self._doubles.adopt([(call.positional, call.named) for call in calls], model)
            given = Arguments(*doubles[-1])
        for path, value in named(given, "input"):
            leaves.record(recorder, leaves.flatten(value, path), "input")
        recorder.next_phase()
        if options.own_random:
            self._run_draws(module, model, recorder, observer)
            return
        subject = Subject(module, model, mode_table.ROWS[plan.base].functional)
        left = LeftBehind(module, self.program.source, model, calls, subject.state if subject.is_step else None)
        parameters = [(parameter, parameter._version) for parameter in model.parameters()]
        with_gradients = options.grad or options.backward or subject.is_step
        with self._settings(), torch.set_grad_enabled(with_gradients):
            outputs = self._call(subject, calls, left, recorder, observer)
            with observer:
                gradients = self._backward(model, outputs, calls[-1]) if options.backward else []
        self._enter("measure")
        if not with_gradients and any(parameter._version != version for parameter, version in parameters):
            capture.note("parameters_written")
        if self._doubles is not None:
            self.warnings += sorted(self._doubles.warnings)
            if self._doubles.graphs == 0:
                raise NothingCaptured("no graph was captured")
        self._record(left.all(outputs, calls[-1], gradients, self._doubles), recorder, observer)
        if isinstance(observer, watch.Watch):
            self.observations = observer.observations()

    def _run_draws(self, module: types.ModuleType, model: torch.nn.Module, recorder: Any, observer: Any) -> None:
        options, plan = self.program.options, self.plan
        if plan.row.in_double:
            raise DrawsOtherwise("the compiler draws its own random numbers")
        with self._settings(), torch.set_grad_enabled(options.grad or options.backward):
            rerun = self._rerun(module, model, observer)
            called = Subject(module, model, mode_table.ROWS[plan.base].functional)
            plainly = called.called(lambda plainly: plainly)
            compiled = called.called(lambda it: self._compiled(it, model)) if plan.compiles else plainly
            groups = draws.Draws(rerun, plan.seed).of(compiled, plan.compiles)
            if options.backward:
                groups.append(("gradient", [self._derivative(module, observer)]))
        self._enter("measure")
        self._record(iter(groups), recorder, contextlib.nullcontext())

    def _rerun(
        self, module: types.ModuleType, model: torch.nn.Module, observer: Any, double: bool = False
    ) -> draws.Rerun:
        def call(function: Callable[..., Any], calls: list[Arguments]) -> Any:
            outputs = None
            self._enter("forward" if function is model else "compile")  # each draw has the time limit of a step
            for arguments in calls:
                if function is not model:
                    self.warnings += size_marks.mark(self.program.options, arguments)
                with observer, self.program.options.casting(self.plan.device):
                    outputs = function(*arguments.positional, **arguments.named)
            self.plan.kind.synchronize()
            return outputs

        backward = self.program.options.backward
        return draws.Rerun(model, lambda: self._calls(module, double), call, backward, self._autograd)

    def _derivative(self, module: types.ModuleType, observer: Any) -> leaves.Leaf:
        """Mismatch of the derivative, computed in double, in which slopes can be measured; 0 if the program does not
        run in double."""
        missed = 0.0
        if self.plan.compiles:
            try:
                seed_everything(self.plan.seed)
                wide = Mover(self.plan.device, double=True).model(build_model(module).train(self.program.options.train))
                rerun = self._rerun(module, wide, observer, double=True)
                missed = draws.derivative(rerun, self._compiled(wide, wide), self.plan.seed)
            except Exception as error:
                self._report_step("measure")  # as in run(): the error's text comes from the program's code
                self.warnings.append(f"no slopes in double: {type(error).__name__}: {error}"[:300])
        return draws.number("drawn.derivative", missed)

    def _record(self, left: Iterator[Group], recorder: Any, observer: Any) -> None:
        """Records the leaves, with the values that lifted graphs carried, if there are any."""
        for group, flat in left:
            if self._doubles is not None:
                flat = [
                    leaf._replace(tensor=self._doubles.left(leaf.tensor)) if leaf.of_program else leaf for leaf in flat
                ]
            leaves.record(recorder, flat, group)
            if isinstance(observer, watch.Watch):
                observer.reach(flat)

    def _calls(self, module: types.ModuleType, double: bool = False) -> list[Arguments]:
        calls = []
        for call in range(self.program.options.call_count):
            seed_everything(self.plan.seed + call)  # what a call keeps of earlier inputs shows in the next call
            calls.append(self._placed(make_inputs(module, call), double))
        return calls

    def _placed(self, arguments: Arguments, double: bool = False) -> Arguments:
        double = double or self.plan.way == WIDENED
        mover = Mover(self.plan.device, double, normal=self.plan.row.normal)
        positional, named = mover.tree((arguments.positional, arguments.named))
        self._replaced += mover.replaced
        placed = Arguments(positional, named)
        if self.program.options.backward:
            backward.require_gradients(placed)
        return placed

    def _call(self, subject: Subject, calls: list[Arguments], left: LeftBehind, recorder: Any, observer: Any) -> Any:
        """The result of every call except the last is recorded at once and not held: the next call may write to it."""
        compiles = self.plan.compiles or self._doubles is not None
        target = subject.called(
            (lambda called: self._compiled(called, subject.model))
            if compiles
            else routes.uncompiled
            if self._below
            else self._called_plainly(observer)
        )
        outputs = None
        for number, arguments in enumerate(calls):
            if compiles:
                self.warnings += size_marks.mark(self.program.options, arguments)
            seed_everything(self.plan.seed)
            if compiles and self.plan.ablation.compiles_anew:
                torch._dynamo.reset()
            self._enter("compile" if compiles and number == 0 else "forward")
            with observer:
                with self.program.options.casting(self.plan.device):
                    outputs = target(*arguments.positional, **arguments.named)
                self.plan.kind.synchronize()
            if number + 1 < len(calls):
                self._enter("measure")
                room = leaves.MOST_BYTES - recorder.size
                self._record(left.call(number, outputs, arguments, room), recorder, observer)
                recorder.next_phase()
                outputs = None
        return outputs

    def _called_plainly(self, observer: Any) -> Callable[[Any], Any]:
        """An observer sees only its own thread."""
        threads = self.plan.route == "threads" and isinstance(observer, contextlib.nullcontext)
        return routes.from_threads if threads else lambda called: called

    def _backward(self, model: torch.nn.Module, outputs: Any, arguments: Arguments) -> list[tuple[str, torch.Tensor]]:
        self._enter("backward")
        with self._autograd():
            gradients = backward.run(model, outputs, arguments, self._doubles)
        self.plan.kind.synchronize()
        return gradients

    def _autograd(self) -> contextlib.AbstractContextManager:
        """torch.compile enables compiled autograd only while the compiled call runs; backward comes after it."""
        if not self.plan.compiles or not config_of("dynamo").compiled_autograd:
            return contextlib.nullcontext()
        compiler = routes.compile_by_torch(backend=self.plan.row.backend, dynamic=self._dynamic)
        return torch._dynamo.compiled_autograd._enable(compiler, dynamic=bool(self._dynamic))

    def _compiled(self, called: Callable[..., Any], model: torch.nn.Module) -> Callable[..., Any]:
        if self._doubles is not None:
            return routes.How(self._doubles.backend, self._dynamic).compiled(called)
        how = routes.How(self.plan.backend, self._dynamic, self.program.options.fullgraph, model)
        if self.program.options.graph and how.backend == "inductor":
            return routes.graph(called, how)
        return routes.ROUTES[self.plan.route](called, how)

    def _lifted_target(self, lifted: torch.nn.Module) -> Callable[..., Any]:
        def call(*inputs: Any) -> Any:  # the compiler may itself run a graph module's frame uncompiled
            return lifted(*inputs)

        call.__code__ = call.__code__.replace()  # a limit on recompilation applies per code object
        return routes.How("inductor", self._dynamic).compiled(call)

    @property
    def _dynamic(self) -> bool | None:
        dynamic = True if self.program.options.dynamic or mode_table.ROWS[self.plan.base].dynamic else None
        return self.plan.ablation.compile_options.get("dynamic", dynamic) if self.plan.compiles else dynamic

    @contextlib.contextmanager
    def _settings(self) -> Iterator[None]:
        if not self.plan.compiles and self._doubles is None:
            yield
            return
        options = self.program.options
        held = self.plan.ablation if self.plan.compiles else Ablation([])
        own = {"dynamo": options.dynamo_config, "functorch": options.functorch_config}
        own["inductor"] = options.inductor_config
        wanted = {
            owner: {**self._known(owner), **own[owner], **held.settings(owner), **always}
            for owner, always in ALWAYS.items()
        }
        wanted["inductor"]["fallback_random"] = not options.own_random
        if options.autocast and options.backward and has_setting(config_of("functorch"), BACKWARD_AUTOCAST):
            wanted["functorch"].setdefault(BACKWARD_AUTOCAST, "off")
        if not self.plan.compiles:
            wanted["dynamo"].pop("compiled_autograd", None)  # a lifted run is what compiled code is measured against
        with (
            config_of("dynamo").patch(wanted["dynamo"]),
            config_of("functorch").patch(wanted["functorch"]),
            config_of("inductor").patch(wanted["inductor"]),
            holding(held),
        ):
            yield

    def _known(self, owner: str) -> dict[str, Any]:
        """Those of the mode's settings that this torch has. A missing one must not look like a failure of the
        compiler."""
        known = {}
        for setting, value in {**mode_table.ROWS[self.plan.base].settings, **self.plan.row.settings}.items():
            of, _, name = setting.partition(".")
            if of != owner:
                continue
            if has_setting(config_of(owner), name):
                known[name] = value
            else:
                self.warnings.append(f"mode: this torch has no setting {name!r}"[:200])
        return known


# ---- functions that modes.json names for a mode


def run_drawn(execution: Execution) -> None:
    rounding.draw(execution.run_steps, execution.recorder, execution.plan.seed & 0x7FFF_FFFF)


def run_watched(execution: Execution) -> None:
    anew = re.search(r"preserve_rng_state\W+False", execution.program.source)  # of torch.utils.checkpoint
    execution.run_steps(execution.recorder, watch.Watch(drawn_anew=anew is not None))


def run_otherwise(execution: Execution) -> None:
    program = execution.program
    execution.observations = otherwise.draw(execution.run_steps, execution.recorder, program.file, program.source)
