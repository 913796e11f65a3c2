# ruff: noqa: F821 (names that prelude.py defines)
import mmap

CLONE3, CLONE_NEWUSER = 435, 0x10000000


def clone3():
    arguments = (ctypes.c_uint64 * 8)(CLONE_NEWUSER, 0, 0, 0, 17)
    if call("syscall", CLONE3, arguments, 64) == 0:
        os._exit(0)


def clone():
    if call("syscall", 56, CLONE_NEWUSER | 17, 0, 0, 0, 0) == 0:
        os._exit(0)


def x32_socket():
    return call("syscall", 0x40000000 | 41, socket.AF_INET, socket.SOCK_STREAM, 0)


def old_entry():
    """getpid by `int 0x80`, whose numbers are those of 32 bits."""
    code = bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0x48, 0x98, 0xC3])
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    child = os.fork()
    if child == 0:  # a kernel without that entry sends a signal
        result = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
        os._exit(0 if result == os.getpid() else 1)
    status = os.waitpid(child, 0)[1]
    if status != 0:
        raise OSError(errno.EPERM, f"wait status {status}")


attempt("clone3", clone3)
if platform.machine() == "x86_64":
    attempt("clone", clone)
    attempt("x32", x32_socket)
    attempt("int 0x80", old_entry)
