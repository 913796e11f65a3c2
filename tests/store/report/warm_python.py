"""Runs scripts in forks of a process that has imported torch's compiler, which takes longer than most of them.

A line on descriptor 3 names a folder. Its script.py is run there, with standard output and error in the files `out` and
`err`; the answer is a line with the exit status, -1 where a signal ended it. End of file ends this process.
"""

import os
import runpy
import sys
import traceback

import torch._inductor.compile_fx  # noqa: F401 - before the forks
from torch._inductor.cpu_vec_isa import pick_vec_isa


def run(folder: str) -> None:
    """As `python script.py` would in that folder."""
    os.chdir(folder)
    for name, descriptor in (("out", 1), ("err", 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    sys.argv = ["script.py"]
    sys.path[0] = folder
    status = 0
    try:
        runpy.run_path("script.py", run_name="__main__")
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main() -> None:
    pick_vec_isa()  # asks for a dozen compilations in every process
    channel = os.fdopen(3, "r+b", buffering=0)
    os.set_inheritable(3, False)
    while line := channel.readline():
        child = os.fork()
        if child == 0:
            run(line.decode().rstrip("\n"))
        _, ended = os.waitpid(child, 0)
        channel.write(b"%d\n" % (os.WEXITSTATUS(ended) if os.WIFEXITED(ended) else -1))


if __name__ == "__main__":
    main()
