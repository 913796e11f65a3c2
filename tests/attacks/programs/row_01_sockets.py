# ruff: noqa: F821 (names that prelude.py defines)
for family in ("AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"):
    for kind in ("SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW"):
        numbers = getattr(socket, family), getattr(socket, kind)
        attempt(f"{family} {kind}", lambda numbers=numbers: socket.socket(*numbers))
attempt("connect", lambda: socket.create_connection(("127.0.0.1", GIVEN["port"]), 1))
attempt("name service", lambda: socket.getaddrinfo("localhost.example", 80))
