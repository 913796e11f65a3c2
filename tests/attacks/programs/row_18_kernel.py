# ruff: noqa: F821 (names that prelude.py defines)
CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x00020000
NUMBERS = {
    "x86_64": {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "unshare": 272, "mount": 165, "keyctl": 250},
    "aarch64": {"bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "unshare": 97, "mount": 40, "keyctl": 219},
}[platform.machine()]
memory = ctypes.create_string_buffer(256)
memory[4] = b"\x70"  # perf_event_attr.size
attempt("user namespace", lambda: call("syscall", NUMBERS["unshare"], CLONE_NEWUSER))
attempt("mount namespace", lambda: call("syscall", NUMBERS["unshare"], CLONE_NEWNS))
attempt("mount", lambda: call("mount", b"none", os.environ["TMPDIR"].encode(), b"tmpfs", 0, None))
attempt("bpf", lambda: call("syscall", NUMBERS["bpf"], 0, memory, 64))
attempt("perf", lambda: call("syscall", NUMBERS["perf_event_open"], memory, 0, -1, -1, 0))
attempt("io_uring", lambda: call("syscall", 425, 8, memory))
attempt("userfaultfd", lambda: call("syscall", NUMBERS["userfaultfd"], 0o2000000 | 1))
attempt("key ring", lambda: call("syscall", NUMBERS["keyctl"], 0, -3, 1))
