"""NVIDIA's compute-sanitizer on a program: shows wrong memory accesses of its kernels, even if the numbers agree.

The program runs once, compiled, in a separate process: the sanitizer must be there before CUDA is. Without torch's
caching allocator each tensor is its own allocation, so an access one element past its end is detected (docs: CUDA
semantics, "memory management"); inside a block of a larger allocation it would not be.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_subject import Subject

USUAL_PLACE = "/usr/local/cuda/bin/compute-sanitizer"
MARK = "========="  # prefix of each line that the sanitizer itself writes
OUTCOME = "parityd's outcome: "
MOST_REPORTS = 50  # a kernel's threads report one by one


def sanitize(subject: "Subject") -> None:
    sanitizer = shutil.which("compute-sanitizer") or USUAL_PLACE
    if not os.access(sanitizer, os.X_OK):
        raise RuntimeError(f"there is no compute-sanitizer on PATH, and no {USUAL_PLACE}")
    _refuse_without_sockets()
    message = subject.message
    source = message["file"]
    os.makedirs(subject.folder, exist_ok=True)
    with open(source, "w", encoding="utf-8") as file:
        file.write(message["program"])
    asked = json.dumps({"file": source, "device": message["device"], "seed": message["seed"]})
    options = ["--tool", message["tool"], "--print-limit", str(MOST_REPORTS)]
    options += ["--target-processes", "all", "--show-backtrace", "no"]
    command = [sanitizer, *options, sys.executable, "-s", "-B", os.path.abspath(__file__), asked]
    module = os.path.dirname(os.path.abspath(sys.modules["parityd_worker"].__file__))
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", "PARITYD_MODULE": module}
    ran = subprocess.run(
        command,
        env=environment,
        cwd=subject.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=message["seconds"],
        check=False,
    )
    output = ran.stdout.decode(errors="backslashreplace")
    told = [line for line in output.splitlines() if line.startswith(MARK)]
    if not any("SUMMARY" in line for line in told):  # it did not complete
        raise RuntimeError(f"compute-sanitizer ended with {ran.returncode}:\n{output[-2000:]}")
    subject.text.write("\n".join(told) + "\n")
    for line in output.splitlines():
        if line.startswith(OUTCOME):
            subject.text.write(f"\n== {json.loads(line.removeprefix(OUTCOME))}\n")


def _refuse_without_sockets() -> None:
    """The sanitizer talks to the process it watches over a local socket without a file (strace: connect to
    "@nv_target_process_PID"). If a sandbox forbids that, it only reports that the process ended."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect("\0parityd-nobody-listens")
        except ConnectionRefusedError:
            pass
        except PermissionError:
            raise RuntimeError(
                "the sandbox refuses the local sockets that compute-sanitizer needs: at level full it does not; or run "
                "the repro script under compute-sanitizer by hand"
            ) from None


def _run(asked: dict[str, object]) -> None:
    """In the watched process."""
    import torch  # noqa: F401  # first: parityd_worker's symbols come with it

    path = list(sys.path)
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from worker_path import FOLDERS

    sys.path[:1] = [*FOLDERS, os.environ.pop("PARITYD_MODULE")]
    import modes
    import parityd_worker
    from program import Program

    sys.path[:] = path  # programs must not find the worker's files by accident

    with open(asked["file"], encoding="utf-8") as file:
        program = Program(file.read(), asked["file"])
    mode = program.options.mode
    plan = modes.Plan(mode, mode, asked["device"], asked["seed"])
    execution = modes.Execution(program, plan, parityd_worker.Recorder(plan.name), lambda _: None)
    execution.run()
    error = execution.outcome.get("error")
    ended = f"raised {error['outer_class']}: {error['message']}" if error else execution.outcome["kind"]
    print(f"\n{OUTCOME}{json.dumps(f'{mode} {ended}')}", flush=True)
    os._exit(0)  # torch's destructors have nothing to add


if __name__ == "__main__":
    _run(json.loads(sys.argv[1]))
