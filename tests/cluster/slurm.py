"""A private Slurm: munged, slurmctld and a slurmd for each of several nodes that are all this machine, in one folder.

`python3 slurm.py FOLDER` starts it and says how to use it; when its standard input ends it kills everything that it and
its jobs started. So it ends with whoever started it, however that one ends. Needs no root; runs the caller's jobs only.
"""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys

from keeper import Keeper, Kept, descendants, found, free_ports, keep
from scene import wait_for

NODES = ("n1", "n2")
CPUS = 8  # of each node: as many places for steps, whatever the machine has
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "salloc", "sbatch", "scancel", "scontrol", "squeue")
CONFIG = """
ClusterName=parityd
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
# Nothing of the machine but its processes: neither control groups nor accounts.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
# A partition of higher priority takes nodes from jobs in a lower one.
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
ReturnToService=2
# Seconds: what a cluster gives minutes to.
KillWait=1
SlurmdTimeout=3
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 LLN=YES
PartitionName=high Nodes=ALL PriorityTier=2
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus}\n"


def missing() -> list[str]:
    return [program for program in PROGRAMS if not found(program)]


def write_config(folder: pathlib.Path) -> pathlib.Path:
    host, ports = socket.gethostname().split(".")[0], free_ports(1 + len(NODES))
    text = CONFIG.format(host=host, ports=ports, user=os.getuid(), folder=folder)
    for name, port in zip(NODES, ports[1:], strict=True):
        text += NODE.format(name=name, host=host, port=port, cpus=CPUS)
        (folder / "spool" / name).mkdir(parents=True)
    (folder / "state").mkdir()
    (folder / "key").write_bytes(os.urandom(1024))
    (folder / "key").chmod(0o600)
    config = folder / "slurm.conf"
    config.write_text(text)
    return config


class SlurmKeeper(Keeper):
    def __init__(self, folder: pathlib.Path) -> None:
        super().__init__(folder)
        self.config = write_config(folder)
        self.environment["SLURM_CONF"] = str(self.config)

    def start(self) -> str:
        files = [f"--{what}-file={self.folder}/munge.{what}" for what in ("pid", "log", "seed")]
        # Forced: the folder is ours alone, and munged wants everybody to reach its socket.
        self.daemon("munged", "--foreground", "--force", f"--key-file={self.folder}/key", "--num-threads=2",
                    f"--socket={self.folder}/munge.socket", *files)  # fmt: skip
        wait_for("munged", (self.folder / "munge.socket").exists)
        self.daemon("slurmctld", "-D", "-c")
        for node in NODES:
            self.daemon("slurmd", "-D", "-N", node)
        wait_for("all nodes", lambda: self.idle_nodes() == len(NODES))
        return f"SLURM_CONF={self.config}"

    def idle_nodes(self) -> int:
        command = [found("sinfo"), "--noheader", "--partition=low", "--format=%D", "--states=idle"]
        said = subprocess.run(command, capture_output=True, text=True, env=self.environment, check=False).stdout
        return sum(int(word) for word in said.split() if word.isdecimal())


class Slurm(Kept):
    """What a test has of it: the keeper in a process of its own, and Slurm's commands."""

    def __init__(self, folder: pathlib.Path) -> None:
        super().__init__(__file__, folder)
        assert self.said.startswith("SLURM_CONF="), (self.said, self.logs())
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}

    def run(self, program: str, *words: str) -> str:
        """What it says."""
        done = self.asked(program, *words)
        assert done.returncode == 0, (words, done.stdout, done.stderr, self.logs())
        return done.stdout.strip()

    def asked(self, program: str, *words: str) -> subprocess.CompletedProcess:
        command, environment = [found(program), *words], os.environ | self.environment
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    def cancel(self, step: str) -> None:
        """Nothing where it has ended meanwhile, which Slurm calls an error."""
        done = self.asked("scancel", step)
        if done.returncode != 0:
            wait_for(f"step {step} to be gone, since {done.stderr}", lambda: step not in self.steps())

    def allocate(self, *options: str) -> int:
        """An allocation over all nodes that outlives the loss of one; its number."""
        self.run("salloc", "--no-shell", "--no-kill", f"--nodes={len(NODES)}", "--exclusive", *options)
        return int(self.run("squeue", "--noheader", "--states=running", "--format=%i").split()[-1])

    def steps(self, *options: str) -> dict[str, str]:
        """Nodes of the steps that workers run in, by their names."""
        lines = self.run("squeue", "--steps", "--noheader", "--format=%i %N", *options).splitlines()
        steps = dict(line.split() for line in lines)
        return {name: node for name, node in steps.items() if name.split(".")[1].isdecimal()}

    def lose(self, node: str) -> None:
        """The machine is gone at once, with all that runs there: nobody says goodbye."""
        there = {int((self.folder / f"{node}.pid").read_text())}
        for step in (step for step, where in self.steps().items() if where == node):
            for pid, process in descendants(self.keeper.pid).items():
                if process.command.startswith(f"slurmstepd: [{step}]"):
                    there |= {pid, *descendants(pid)}
        for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped first, or some would see the others end, and tell
            for pid in there:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)


if __name__ == "__main__":
    keep(SlurmKeeper(pathlib.Path(sys.argv[1]).resolve()))
