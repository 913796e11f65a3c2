"""A private sshd on this machine: keys, port and configuration of its own, in one folder. Who may log in is who starts
it, root or not, by a key that nobody else has.

`python3 sshd.py FOLDER` is its keeper: it starts an sshd for each line `up`, and when its standard input ends it kills
everything that those and their users started."""

import contextlib
import os
import pathlib
import pwd
import signal
import socket
import subprocess
import sys

from keeper import Keeper, Kept, descendants, found, free_ports, keep
from scene import wait_for

PROGRAMS = ("sshd", "ssh", "ssh-keygen")
SEPARATED = pathlib.Path("/run/sshd")  # root's sshd wants this empty folder, which a service manager makes
HOST = "far-host"
OPTIONS = ["ssh", "-T", "-o", "BatchMode=yes", "-o", "ControlPath=none", "-o", "ServerAliveInterval=15"]
SERVER = """
ListenAddress 127.0.0.1
Port {port}
HostKey "{folder}/host_key"
AuthorizedKeysFile "{folder}/authorized_keys"
PidFile "{folder}/sshd.pid"
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
PrintMotd no
MaxStartups 100
"""
# Its last lines are what some people have in theirs, and what docs/cluster.md says how to overcome: a terminal, and one
# connection shared by all.
CLIENT = """
Host {host}
HostName 127.0.0.1
Port {port}
User {user}
HostKeyAlias {host}
IdentityFile "{folder}/user_key"
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile "{folder}/known_hosts"
GlobalKnownHostsFile /dev/null
RequestTTY force
ControlMaster auto
ControlPath "{folder}/%C"
ControlPersist yes
"""


def missing() -> list[str]:
    return [program for program in PROGRAMS if not found(program)]


def make_key(file: pathlib.Path) -> str:
    """Its public half."""
    subprocess.run([found("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(file)], check=True)
    return file.with_name(f"{file.name}.pub").read_text()


class SshdKeeper(Keeper):
    def start(self) -> str:
        words = {"folder": self.folder, "port": free_ports(1)[0], "user": pwd.getpwuid(os.getuid()).pw_name}
        (self.folder / "sshd_config").write_text(SERVER.format(**words))
        (self.folder / "ssh_config").write_text(CLIENT.format(host=HOST, **words))
        (self.folder / "known_hosts").write_text(f"{HOST} {make_key(self.folder / 'host_key')}")
        (self.folder / "authorized_keys").write_text(make_key(self.folder / "user_key"))
        if os.getuid() == 0:
            with contextlib.suppress(OSError):
                SEPARATED.mkdir(mode=0o755, exist_ok=True)
        tried = subprocess.run([*self.command(), "-t"], capture_output=True, text=True, check=False)
        return str(words["port"]) if tried.returncode == 0 else " ".join(tried.stderr.split())

    def command(self) -> list[str]:
        return [found("sshd"), "-f", str(self.folder / "sshd_config")]

    def hear(self, word: str) -> None:
        assert word == "up", word
        self.daemon(*self.command(), "-D", "-e")


class CannotServe(Exception):
    """With sshd's or ssh's own words."""


class Sshd(Kept):
    """What a test has of it: the far side, which is this machine seen through ssh."""

    def __init__(self, folder: pathlib.Path) -> None:
        super().__init__(__file__, folder)
        if not self.said.isdecimal():
            raise CannotServe(self.said)
        self.up()
        tried = subprocess.run([*self.ssh(), "true"], capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            raise CannotServe(f"{tried.stderr}\n{self.logs()}")

    def ssh(self) -> list[str]:
        """First words of a command that run the others over there: those of docs/cluster.md, and our configuration."""
        return [*OPTIONS, "-F", str(self.folder / "ssh_config"), HOST]

    def reachable(self) -> bool:
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", int(self.said))) == 0

    def up(self) -> None:
        self.keeper.stdin.write("up\n")
        self.keeper.stdin.flush()
        wait_for(f"sshd: {self.logs()}", self.reachable)

    def listener(self) -> int:
        return int((self.folder / "sshd.pid").read_text())

    def down(self) -> None:
        """Connections end, and nobody answers any more."""
        listener = self.listener()
        os.kill(listener, signal.SIGSTOP)  # it would open its file again
        self.signal_sessions(signal.SIGKILL)
        os.kill(listener, signal.SIGKILL)
        wait_for("nobody to answer", lambda: not self.reachable())

    def sessions(self) -> set[int]:
        """A process of sshd for each connection over which a worker runs."""
        workers, seen, listener = self.running("parityd-worker"), descendants(self.keeper.pid), self.listener()
        ours = {pid for pid, process in seen.items() if process.parent == listener}
        return {pid for pid in ours if not workers.keys().isdisjoint(descendants(pid))}

    def signal_sessions(self, number: int, processes: set[int] | None = None) -> set[int]:
        """Returns what got it. Who is not root has two processes of sshd for a connection, one below the other."""
        if processes is None:
            processes = self.sessions()
            below = [descendants(pid).items() for pid in processes]
            processes |= {pid for some in below for pid, process in some if process.command.startswith("sshd")}
        for pid in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return processes


if __name__ == "__main__":
    keep(SshdKeeper(pathlib.Path(sys.argv[1]).resolve()))
