"""A worker without torch: speaks the protocol of docs/protocol.md and misbehaves as the program's text asks.

Start it like a real one: a launcher with any CPython and `--sources` this folder. README.md lists what a program may
ask for. How it starts is asked for in a file `start` in the module's folder, because no program has come by then."""

import json
import os
import platform
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(sys.path[0]), "shared"))  # as it lies beside the real worker
from channel import Channel
from directives import Directives, fake_device, fake_torch
from pace import Pace
from run import Run


def start_words(module: Path) -> list[str]:
    """Of the file that README.md tells of; none without it."""
    wish = module / "start"
    return wish.read_text().split() if wish.exists() else []


def misbehave_at_start(module: Path) -> None:
    words = start_words(module)
    if words[:1] == ["slow"]:
        time.sleep(float(words[1]))
    elif words[:1] == ["mute"]:
        time.sleep(3600)
    elif words[:1] == ["gone"]:
        raise SystemExit("RuntimeError: CUDA error: no CUDA-capable device is detected")
    elif words[:1] == ["fail"]:
        first = Path(os.environ["HOME"]).parent.name == "w0"
        if first or "once" not in words:
            raise SystemExit("the fake worker was asked not to start")


COMPOSED = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + {}


def get_inputs():
    return [torch.randn(2)]
"""


class Worker:
    def __init__(self) -> None:
        self.channel = Channel(int(os.environ["PARITYD_IN"]), int(os.environ["PARITYD_OUT"]))
        self.module = Path(os.environ["PARITYD_MODULE"])
        self.previous = 0
        self.forks = False
        self.known_forms: set[int] = set()
        self.left = ""  # by a program, where only a check of everything looks
        self.pace = self.asked_pace()

    def wishes(self, word: str) -> bool:
        wish = self.module / "start"
        return wish.exists() and word in wish.read_text()

    def asked_pace(self) -> Pace | None:
        words = start_words(self.module)
        if "pace" not in words:
            return None
        self.channel.beat_seconds = Pace.beat_seconds
        place = words.index("pace")
        return Pace(*map(float, words[place + 1 : place + 3]))

    def installed(self) -> str:
        """`torch VERSION`: what an upgrade beneath a running daemon looks like."""
        words = start_words(self.module)
        return words[words.index("torch") + 1] if "torch" in words else ""

    def device_memory(self) -> dict[str, int]:
        """`device MIB`: what the device has left."""
        words = start_words(self.module)
        return {"gpu_free_bytes": int(words[words.index("device") + 1]) << 20} if "device" in words else {}

    def hello(self) -> None:
        self.channel.send(
            type="hello",
            protocol=1 if self.wishes("protocol") else 5,
            torch=self.installed() or fake_torch(),
            python=platform.python_version(),
            executable=sys.executable,
            cuda=False,
            device_names={"cpu": fake_device()},
            sandbox=json.loads(os.environ["PARITYD_SANDBOX"]),
        )

    def serve(self) -> None:
        self.hello()
        self.channel.start_beats()
        for message in self.channel.messages():
            if message["type"] == "shutdown":
                return
            getattr(self, "on_" + message["type"])(message)

    def on_prime(self, message: dict) -> None:
        self.forks = message["fork_parent"]
        self.channel.send(type="primed", seconds=0.0, **self.device_memory())
        if self.wishes("die primed"):
            time.sleep(0.05)
            os._exit(9)

    def on_fork(self, message: dict) -> None:
        """The next message is for a child; that of a fake may come by way of its parent."""

    def on_check(self, message: dict) -> None:
        self.channel.send(type="checked", id=message["id"], changed=self.left)

    def on_environment(self, message: dict) -> None:
        def tell() -> None:
            self.channel.send(type="environment", id=message["id"], text=f"fake environment of {os.getppid()}")

        if self.forks:
            self.in_child(message, tell)
        else:
            tell()

    def on_run(self, message: dict) -> None:
        program = self.pace.told(message["program"]) if self.pace else message["program"]
        if not message["fresh"]:
            program = program.replace("# fake: warm ", "# fake: ")
        self.known_forms.update(message["known_forms"])
        directives = Directives(program)
        if not message["fresh"]:
            directives.meet(self.known_forms, message["compile_from"])
        run = Run(message, directives, self.channel, self.previous, self.wishes("blind"), self.pace)
        if message["fresh"]:
            self.in_child(message, run.run)
        else:
            run.run()
            self.left = self.left or run.directives.argument("leaves") or ""
        self.previous = message["id"]

    def on_inspect(self, message: dict) -> None:
        run = Run({**message, "modes": []}, Directives(message["program"]), self.channel, self.previous, False)
        self.in_child(message, run.inspect)

    def on_screen(self, message: dict) -> None:
        """A program that says `# fake: unfit` is not valid; composed ones are numbered."""

        def screen() -> None:
            verdicts = []
            for program in message["programs"]:
                unfit = "# fake: unfit" in program
                verdicts.append({"valid": not unfit, "error": "FakeError: asked for" if unfit else ""})
                if "# fake: die screened" in program:
                    os._exit(9)
            composed = [COMPOSED.format(message["composing"] + number) for number in range(message["compose"])]
            self.channel.send(type="screened", id=message["id"], verdicts=verdicts, composed=composed)

        self.in_child(message, screen)

    def in_child(self, message: dict, work: Callable[[], None]) -> None:
        self.channel.stop_beats()
        child = os.fork()
        if child == 0:
            self.channel.start_beats()
            work()
            self.channel.stop_beats()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        self.channel.start_beats()
        killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        code = 0 if killer else os.WEXITSTATUS(status)
        end = {"type": "ended", "id": message["id"], "status": code, "signal": killer}
        mark = f"[parityd: job {message['id']} has ended]\n"
        if "# fake: last words late" in message.get("program", ""):
            self.channel.send(**end)
            time.sleep(0.2)
            os.write(2, f"late words\n{mark}".encode())
        else:
            os.write(2, mark.encode())
            self.channel.send(**end)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    misbehave_at_start(Path(os.environ["PARITYD_MODULE"]))
    try:
        Worker().serve()
    except json.JSONDecodeError as error:
        raise SystemExit(f"the daemon sent no JSON: {error}") from error
