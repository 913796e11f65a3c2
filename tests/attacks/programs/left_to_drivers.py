# ruff: noqa: F821 (names that prelude.py defines)
import socket
import threading


def name_thread():
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as file:
        file.write("renamed")


def listen():
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as local:
        local.bind(f"\0parityd-test-{os.getpid()}")
        local.listen(1)


attempt("name a thread", name_thread)
attempt("listen on an abstract socket", listen)
attempt("memory file", lambda: os.close(os.memfd_create("file")))
attempt("devices of the bus", lambda: os.listdir("/sys/bus"))
