# ruff: noqa: F821 (names that prelude.py and the parent's main.py define)
"""What a fresh child may try at the process that it was forked from, and at children before and after it."""

import fcntl
import resource
import signal

F_SETOWN, F_SETSIG = 8, 10
SYS = {"tgkill": 234, "pidfd_open": 434, "pidfd_send_signal": 424, "ioprio_set": 251, "add_key": 248, "kcmp": 312,
       "process_vm_readv": 310, "process_vm_writev": 311, "move_pages": 279, "tkill": 200, "setns": 308}  # fmt: skip
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
# In a process namespace of its own the parent has no number: then nobody there may be reached.
PARENTS = [os.getppid()] if os.getppid() > 0 else [number for number in range(1, 40) if number != os.getpid()]
ADDRESS = ctypes.addressof(MARK)


def anywhere(name, action):
    """`passed` if it can be done to any process that may be the parent."""

    def tried():
        refusal = OSError("nobody to try it on")
        for parent in PARENTS:
            try:
                return action(parent)
            except OSError as error:
                refusal = error
        raise refusal

    attempt(name, tried)


def kernel(name, *arguments):
    numbers = (ctypes.c_long(value) if isinstance(value, int) else value for value in arguments)
    return call("syscall", SYS[name], *numbers)


def write_memory(parent):
    file = os.open(f"/proc/{parent}/mem", os.O_RDWR)
    try:
        return os.pwrite(file, b"dirty", ADDRESS)
    finally:
        os.close(file)


def piece():
    buffer = ctypes.create_string_buffer(b"dirty", 8)
    return (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 5), (ctypes.c_size_t * 2)(ADDRESS, 5), buffer


def vector(name, parent):
    own, theirs, _buffer = piece()
    return kernel(name, parent, own, 1, theirs, 1, 0)


def write_file(path, text):
    file = os.open(path, os.O_WRONLY)
    try:
        return os.write(file, text)
    finally:
        os.close(file)


def signal_by_folder(parent):
    folder = os.open(f"/proc/{parent}", os.O_RDONLY | os.O_DIRECTORY)
    return kernel("pidfd_send_signal", folder, signal.SIGCONT, 0, 0)


def signal_by_pipe(parent):
    readable, writable = os.pipe()
    fcntl.fcntl(readable, F_SETOWN, parent)
    fcntl.fcntl(readable, F_SETSIG, signal.SIGCONT)
    fcntl.fcntl(readable, fcntl.F_SETFL, fcntl.fcntl(readable, fcntl.F_GETFL) | os.O_ASYNC)
    return os.write(writable, b"x")


def limit(parent):
    before = resource.prlimit(parent, resource.RLIMIT_NOFILE)
    return resource.prlimit(parent, resource.RLIMIT_NOFILE, before)


def other_folder(jobs):
    others = [name for name in os.listdir(jobs) if name != str(GIVEN["number"])]
    if not others:
        raise OSError("its own alone")
    return others[0]


def group_signal():
    group = os.getpgid(PARENTS[0]) if os.getppid() > 0 else 0
    if group in (0, os.getpgrp()):
        raise OSError("a group of its own")
    return os.killpg(group, signal.SIGCONT)


# --- what a child before this one left
tell("found", ",".join(name for name in ("/dev/shm/left", "/tmp/left") if os.path.exists(name)))
# --- memory
anywhere("memory: read", lambda parent: os.pread(os.open(f"/proc/{parent}/mem", os.O_RDONLY), 5, ADDRESS))
anywhere("memory: readv", lambda parent: vector("process_vm_readv", parent))
anywhere("memory: attach", lambda parent: call("ptrace", PTRACE_SEIZE, parent, 0, 0))
anywhere("memory: maps", lambda parent: read(f"/proc/{parent}/maps")[:40])
anywhere("memory: environ", lambda parent: len(read(f"/proc/{parent}/environ")))
anywhere("memory: descriptors", lambda parent: os.listdir(f"/proc/{parent}/fd"))
anywhere("memory: open descriptor", lambda parent: os.open(f"/proc/{parent}/fd/{KEPT}", os.O_RDONLY))
anywhere("memory: folder", lambda parent: os.listdir(f"/proc/{parent}/cwd"))
anywhere("memory: root", lambda parent: os.listdir(f"/proc/{parent}/root"))
anywhere("memory: auxv", lambda parent: read(f"/proc/{parent}/auxv")[:16])
anywhere("memory: mapped files", lambda parent: os.listdir(f"/proc/{parent}/map_files"))
anywhere("memory: pages", lambda parent: read(f"/proc/{parent}/smaps_rollup")[:16])
anywhere("memory: soft dirty", lambda parent: write_file(f"/proc/{parent}/clear_refs", b"1"))
anywhere("memory: core filter", lambda parent: write_file(f"/proc/{parent}/coredump_filter", b"0"))
anywhere("memory: out of memory", lambda parent: write_file(f"/proc/{parent}/oom_score_adj", b"1000"))
anywhere("memory: timers", lambda parent: write_file(f"/proc/{parent}/timerslack_ns", b"1000000000"))
anywhere("memory: enter its namespaces", lambda parent: kernel("setns", os.open(f"/proc/{parent}/ns/user", 0), 0))
anywhere("memory: weight", lambda parent: write_file(f"/proc/{parent}/autogroup", b"19"))
# --- numbers
anywhere("number: kill", lambda parent: os.kill(parent, signal.SIGCONT))
anywhere("number: tgkill", lambda parent: kernel("tgkill", parent, parent, signal.SIGCONT))
anywhere("number: tkill", lambda parent: kernel("tkill", parent, signal.SIGCONT))
anywhere("number: queue", lambda parent: call("sigqueue", parent, signal.SIGCONT, 0))
anywhere("number: pidfd", lambda parent: kernel("pidfd_open", parent, 0))
anywhere("number: pidfd of /proc", signal_by_folder)
anywhere("number: owner of a pipe", signal_by_pipe)
anywhere("number: limits", limit)
anywhere("number: priority", lambda parent: os.setpriority(os.PRIO_PROCESS, parent, 19))
anywhere("number: input priority", lambda parent: kernel("ioprio_set", 1, parent, 3 << 13))
anywhere("number: processors", lambda parent: os.sched_setaffinity(parent, os.sched_getaffinity(0)))
anywhere("number: schedule", lambda parent: os.sched_setscheduler(parent, os.SCHED_BATCH, os.sched_param(0)))
anywhere("number: pages", lambda parent: kernel("move_pages", parent, 0, 0, 0, 0, 0))
anywhere("number: compare", lambda parent: kernel("kcmp", parent, os.getpid(), 1, 0, 0))
attempt("number: group", group_signal)
# --- what outlives a child
attempt("left: key ring", lambda: kernel("add_key", b"user", b"parityd", b"x", 1, -4))
attempt("left: segment", lambda: call("shmget", 0x5061, 4096, 0o1600))
attempt("left: queue", lambda: call("msgget", 0x5061, 0o1600))
for place in ("/dev/shm", "/tmp"):
    attempt(f"left: {place}", lambda place=place: open(f"{place}/left", "x").close())
jobs = os.path.join(GIVEN["scratch"], "jobs")
attempt("left: the next one's folder", lambda: os.mkdir(os.path.join(jobs, str(GIVEN["number"] + 1))))
attempt("left: others' folders", lambda: other_folder(jobs))
# --- last: what the parent would notice
if GIVEN.get("write"):
    anywhere("memory: writev", lambda parent: vector("process_vm_writev", parent))
    anywhere("memory: write", write_memory)
tell("user", "root" if os.geteuid() == 0 else "another")
tell("mark", MARK.value.decode())
