"""What a program asks of the fake worker: its lines `# fake: WORDS`."""

import json
import os
import sys
from typing import Any

from mode_table import ROWS

PREFIX = "# fake:"
CANARY = "inject_relu_bug_TESTING_ONLY"


def fake_torch() -> str:
    """What the interpreter's name says: a link `python-torch-9.9` to any Python has torch 9.9."""
    _, named, version = os.path.basename(sys.executable).partition("-torch-")
    return version.partition("-at-")[0] if named else "0.0.fake"


def fake_device() -> str:
    """Likewise: that of `python-torch-9.9-at-other` is the model other."""
    _, named, device = os.path.basename(sys.executable).partition("-at-")
    return device if named else "fake"


class Directives:
    def __init__(self, program: str) -> None:
        lines = [line.strip() for line in program.splitlines()]
        everywhere = [line[len(PREFIX) :].strip() for line in lines if line.startswith(PREFIX)]
        here = f"on {fake_torch()} "
        self.all = [text[len(here) :] for text in everywhere if text.startswith(here)]
        there = f"at {fake_device()} "
        self.all += [text[len(there) :] for text in everywhere if text.startswith(there)]
        if "PYTHONPATH" in os.environ:  # of the launcher's own making: an overlay
            self.all += [text[len("overlaid ") :] for text in everywhere if text.startswith("overlaid ")]
        self.all += [text for text in everywhere if not text.startswith(("on ", "at ", "overlaid "))]
        self.graphs: dict[str, Any] = {}
        self.code = "\n".join(line for line in lines if not line.startswith(PREFIX))

    def meet(self, known: set[int], compile_from: int) -> None:
        """`forms 1 2`: of the one graph; lines `graph WORDS` hold where that is run in place of its code."""
        forms = {int(form) for form in (self.argument("forms") or "").split()}
        interpreted = bool(forms) and len(forms - known) < compile_from
        if interpreted:
            self.all = self.arguments("graph") + self.all
        self.graphs = {
            "graph_forms": len(forms),
            "graph_interpreted": int(interpreted),
            "graph_fresh": sorted(forms - known),
        }

    def left(self) -> "Directives":
        """What its cure leaves: lines `left WORDS`."""
        return Directives("\n".join(f"{PREFIX} {words}" for words in self.arguments("left")))

    def argument(self, name: str) -> str | None:
        """The words after `name`, or None when no line begins with it."""
        for text in self.all:
            if text == name or text.startswith(name + " "):
                return text[len(name) :].strip()
        return None

    def arguments(self, name: str) -> list[str]:
        """The words after `name` of every line that begins with it."""
        return [text[len(name) :].strip() for text in self.all if text.startswith(name + " ")]

    def json(self, name: str) -> Any:
        text = self.argument(name)
        return None if text is None else json.loads(text)

    def values(self) -> dict[str, float]:
        """`value eager=1.0 inductor=2.0`: the one output element by mode."""
        pairs = (pair.split("=", 1) for pair in (self.argument("value") or "").split())
        return {mode: float(number) for mode, number in pairs}

    def value(self, mode: str) -> float:
        values = self.values()
        return values.get(mode, values.get("eager", 1.0))

    def raised(self, mode: str) -> tuple[str, str] | None:
        """`raise MODE CLASS message`: class and message. No fake program has subnormal inputs."""
        if ROWS[mode].normal:
            return "NothingSubnormal", ""
        for text in self.all:
            words = text.split(maxsplit=3)
            if words[:2] == ["raise", mode]:
                return words[2], words[3] if len(words) > 3 else ""
        return None

    def misdeeds(self, mode: str, step: str) -> list[list[str]]:
        """What is to happen at this step: `WORDS at MODE.STEP`; without a place it happens at eager.forward."""
        found = []
        for text in self.all:
            deed, _, place = text.partition(" at ")
            if (place or "eager.forward") == f"{mode}.{step}":
                found.append(deed.split())
        return found
