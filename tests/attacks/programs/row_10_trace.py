# ruff: noqa: F821, SIM115 (names that prelude.py defines)
PTRACE_ATTACH, PTRACE_TRACEME = 16, 0


def read_memory():
    buffer = ctypes.create_string_buffer(8)
    piece = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 8)
    return call("process_vm_readv", GIVEN["victim"], piece, 1, piece, 1, 0)


if GIVEN["self"]:  # the launcher would be the tracer
    attempt("trace me", lambda: call("ptrace", PTRACE_TRACEME, 0, 0, 0))
attempt("attach", lambda: call("ptrace", PTRACE_ATTACH, GIVEN["victim"], 0, 0))
attempt("read memory", read_memory)
attempt("open memory", lambda: open(f"/proc/{GIVEN['victim']}/mem", "rb"))
