# ruff: noqa: F821 (names that prelude.py defines)
def connect():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(GIVEN["socket"])


def send_by(method):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
        if method == "sendto":
            return client.sendto(b"x", GIVEN["datagrams"])
        return client.sendmsg([b"x"], [], 0, GIVEN["datagrams"])


def send_by_pair():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return one.sendto(b"x", GIVEN["datagrams"])


attempt("connect", connect)
attempt("sendto", lambda: send_by("sendto"))
attempt("sendmsg", lambda: send_by("sendmsg"))
attempt("socketpair", send_by_pair)
