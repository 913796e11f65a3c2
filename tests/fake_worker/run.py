"""One program through its modes: steps, wishes, then the canned result."""

import json
import os
import signal
import subprocess
import sys
import time

import artefact
import evidence
from channel import Channel
from directives import CANARY, Directives
from mode_table import ROWS
from pace import Pace

HEALTH = {"resident_bytes": 500 << 20, "maps": 1000, "gpu_bytes": 0, "check_seconds": 0.001}


def steps_of(mode: str) -> list[str]:
    compiles = ["compile"] if ROWS[mode].backend else []
    return ["start", "import_program", "inputs", "model", *compiles, "forward", "measure"]


class Run:
    def __init__(
        self,
        message: dict,
        directives: Directives,
        channel: Channel,
        previous: int,
        blind: bool,
        pace: Pace | None = None,
    ) -> None:
        self.message = message
        self.pace = pace
        self.directives = directives
        self.channel = channel
        self.previous = previous
        self.blind = blind
        self.id = message["id"]

    def run(self) -> None:
        for mode in self.message["modes"]:
            for step in steps_of(mode):
                self.channel.send(type="step", id=self.id, mode=mode, step=step)
                for words in self.directives.misdeeds(mode, step):
                    getattr(self, "do_" + "_".join(words[:1]), lambda *_: None)(*words[1:])
                if self.pace and step == ("compile" if ROWS[mode].backend else "forward"):
                    time.sleep(self.pace.seconds(self.message["program"], self.message["modes"], mode))
            if self.message["artefacts"]:
                artefact.write(self.message["artefacts"], mode, self.directives)
        told = self.directives.json("evidence") or evidence.canned(self.message, self.directives)
        if CANARY in self.message["program"]:
            told["measurements"] = [evidence.canary(blind=self.blind)]
        taint = self.directives.argument("taint") or ""
        health = {**HEALTH, **(self.directives.json("health") or {})}
        self.channel.send(type="result", id=self.id, evidence=told, tainted=taint, health=health)

    def inspect(self) -> None:
        """Two lines; the deeds asked for at inductor.compile come between them. What hangs in a script is ended by the
        tool itself."""
        os.makedirs(os.path.dirname(self.message["output"]), exist_ok=True)
        with open(self.message["output"], "w") as text:
            print(f"== {self.message['tool']} of {os.path.basename(self.message['file'])}", file=text, flush=True)
            self.channel.send(type="step", id=self.id, mode="inductor", step="compile")
            for words in self.directives.misdeeds("inductor", "compile"):
                if self.message["tool"] != "script" or words[0] not in ("sleep", "hang"):
                    getattr(self, "do_" + "_".join(words[:1]), lambda *_: None)(*words[1:])
            print("told", file=text)
        failure = "asked for" if "# fake: tool fails" in self.message["program"] else ""
        self.channel.send(type="inspected", id=self.id, failure=failure, text=self.answer())

    def answer(self) -> str:
        """What the tools tell that have an answer; the table in README.md names the directives."""
        tool, told = self.message["tool"], self.directives.argument
        if tool == "fired":
            return json.dumps({"functions": [], "counts": {told("fired") or "lowering:aten.add": 1}}) + "\n"
        if tool == "callers":
            functions = self.message.get("arguments", {}).get("functions", [])
            told_each = [{**function, "operators": ["aten.sub"], "reached": 1} for function in functions]
            return json.dumps({"functions": told_each}) + "\n"
        if tool == "opinfo":
            samples = {"sub/float32/0": told("sample") or "passed"}
            return json.dumps({"operators": {}, "samples": samples, "left_out": 0}) + "\n"
        if tool == "regression":
            return (told("regression") or "passes") + "\n"
        if tool != "script":
            return ""
        return (told("script") or "shown") + "\n\n== run alone\ntold\n"

    def do_die(self, name: str) -> None:
        sys.stderr.write(f"about to die of {name}\n")
        sys.stderr.flush()
        number = getattr(signal, name)
        signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
        os.kill(os.getpid(), number)
        time.sleep(60)

    def do_exit(self, status: str) -> None:
        os._exit(int(status))

    def do_hang(self) -> None:
        time.sleep(3600)

    def do_silent(self) -> None:
        self.channel.stop_beats()
        time.sleep(3600)

    def do_stop(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def do_sleep(self, seconds: str) -> None:
        time.sleep(float(seconds))

    def do_wait(self, file: str) -> None:
        while not os.path.exists(os.path.join(os.environ["PARITYD_MODULE"], file)):
            time.sleep(0.05)

    def do_print(self, *words: str) -> None:
        print(*words, flush=True)

    def do_garbage(self) -> None:
        self.channel.send_bytes(b"\x00\xff this is no JSON\n")

    def do_half(self, *_: str) -> None:
        """`half frame`: and then nothing more."""
        self.channel.stop_beats()
        self.channel.send_bytes(b'{"type": "result", "id"')
        time.sleep(3600)

    def do_oversized(self) -> None:
        self.channel.send_bytes(b'"' + b"x" * (9 << 20))

    def do_wrong(self, *_: str) -> None:
        """`wrong id`."""
        self.channel.send(type="step", id=self.id + 1000, mode="eager", step="forward")

    def do_older(self, *_: str) -> None:
        """`older frame`: the last program's result again."""
        told = evidence.canned(self.message, self.directives)
        self.channel.send(type="result", id=self.previous, evidence=told, tainted="", health=HEALTH)

    def do_error(self, *words: str) -> None:
        self.channel.send(type="error", id=self.id, message=" ".join(words))

    def do_flood(self, megabytes: str = "64") -> None:
        block = b"flood " * 1024
        for _ in range(int(megabytes) * (1 << 20) // len(block)):
            os.write(1, block)

    def do_litter(self) -> None:
        headers = os.path.join(os.environ["TMPDIR"], "torchinductor_parityd", "precompiled_headers")
        for folder in (os.environ["HOME"], os.environ["TMPDIR"], os.path.dirname(self.message["file"]), headers):
            with open(os.path.join(folder, "litter"), "w") as file:
                file.write("litter")

    def do_relink(self, target: str) -> None:
        """At the end: the worker's own folders become links to `target`."""
        scratch = os.path.dirname(os.environ["HOME"])
        for folder in ("home", "jobs"):
            os.rename(os.path.join(scratch, folder), os.path.join(scratch, folder + ".moved"))
            os.symlink(target, os.path.join(scratch, folder))

    def do_link(self, target: str) -> None:
        """A tool's text becomes a link to `target`."""
        os.remove(self.message["output"])
        os.symlink(target, self.message["output"])

    def do_double(self, *_: str) -> None:
        """`double fork`: leaves a grandchild in a session of its own, which writes its name where a test finds it."""
        marker = os.path.join(os.environ["HOME"], "..", "grandchild")
        script = "import os, sys, time; os.fork() and os._exit(0); os.setsid(); open(sys.argv[1], 'w'); time.sleep(600)"
        subprocess.run([sys.executable, "-c", script, marker], check=True)
        while not os.path.exists(marker):
            time.sleep(0.005)
