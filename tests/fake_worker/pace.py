"""What a real compiler would take and find, drawn by a program's text: `pace LOW HIGH` in the file `start`.

Shares as campaigns on real torches had them: of a hundred programs one and a half are invalid, eleven differ and are
excused after the control runs, one differs for good, with operators of its own. The measured mode that compiles takes
LOW to HIGH seconds, each further one a third of that: the same graph was compiled before."""

import random

from directives import CANARY, PREFIX
from mode_table import ROWS

INVALID, EXCUSED, WRONG = 0.015, 0.11, 0.01
SHAPES = "ValueError the size of tensor a (3) must match the size of tensor b (4)"
DIFFERENT = "value eager=1.0 inductor=2.0 reference=1.0"
OPERATORS = [f"aten.operator_{number}.default" for number in range(400)]
FEATURES = [f"counter:inductor.feature_{number}#1" for number in range(2500)]


class Pace:
    beat_seconds = 1.0  # a real worker's

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def told(self, program: str) -> str:
        """The program with lines that say what is wrong with it."""
        if CANARY in program:
            return program
        drawn = random.Random(program)
        chance = drawn.random()
        lines = ["equal outputs 9", "operators " + ",".join(drawn.sample(OPERATORS, 12))]
        lines.append("features " + " ".join(drawn.sample(FEATURES, 60)))
        if chance < INVALID:
            lines += [f"raise {mode} {SHAPES}" for mode in ("eager", "inductor")]
        elif chance < INVALID + EXCUSED:
            lines.append(DIFFERENT + " inductor_precise=1.0 inductor_fp64=1.0")
        elif chance < INVALID + EXCUSED + WRONG:
            lines.append(DIFFERENT + " inductor_precise=2.0 inductor_fp64=2.0 aot_eager=1.0")
        return "\n".join([*(f"{PREFIX} {line}" for line in lines), program])

    def seconds(self, program: str, modes: list[str], mode: str) -> float:
        if not ROWS[mode].backend:
            return 0.05
        whole = random.Random(program + "seconds").uniform(self.low, self.high)
        first = next(each for each in modes if ROWS[each].backend)
        return whole if mode == first else whole / 3
