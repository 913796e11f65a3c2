# ruff: noqa: F821 (names that prelude.py defines)
import fcntl
import termios

attempt("terminal", lambda: os.open("/dev/tty", os.O_RDWR))
if os.getsid(0) not in (os.getpid(), os.getppid()):
    tell("session of somebody else", "passed")
one, _ = socket.socketpair()
try:
    fcntl.ioctl(one, termios.TIOCSTI, b"x")
    tell("input", "passed")
except OSError as error:
    tell("input", "denied", errno.errorcode[error.errno])
