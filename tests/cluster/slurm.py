"""A real SLURM on this one machine, without systemd. As a script: why there can be none here.

Two nodes (two slurmd), a controller and munge, with their files in one folder. Debian's packages
are installed if they are missing. The only file outside of the folder is a link at
/etc/slurm/slurm.conf, because commands inside jobs read no other file; it is removed at the end.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PACKAGES = ("slurmctld", "slurmd", "slurm-client", "munge")
LINK = Path("/etc/slurm/slurm.conf")
NODES = ("one", "two")
CPUS, MEMORY_MB = 2, 4000  # per node; SlurmdParameters=config_overrides ignores the real ones
DAEMONS = ("slurmctld", *NODES, "munged")

CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort=16817
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,bf_interval=2
# Memory is enforced without cgroups: it is sampled each second, and a job above its request is
# killed.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
# No accounting database: the controller remembers for ten minutes how a job ended.
AccountingStorageType=accounting_storage/none
MinJobAge=600
KillWait=2
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
    "CPUs={cpus} RealMemory={memory}"
)


def obstacle() -> str | None:
    """Why SLURM cannot be started here, or None."""
    if os.geteuid() != 0:
        return "the cluster tests start SLURM's daemons, which needs root"
    if not installed() and not shutil.which("apt-get"):
        return "the cluster tests install Debian's SLURM packages, which needs apt-get"
    if os.path.lexists(LINK) and not made_here(LINK):
        return f"{LINK} is there already: the cluster tests will not touch a configured SLURM"
    return None


def made_here(link: Path) -> bool:
    """Whether this script made the link, perhaps to a folder that no longer exists."""
    return link.is_symlink() and link.readlink().parent.name.startswith("dpbandits-slurm")


def installed() -> bool:
    return all(shutil.which(program) for program in ("slurmctld", "slurmd", "squeue", "munged"))


def install() -> None:
    """Install Debian's packages (RUNLEVEL=1: without starting their daemons)."""
    run("apt-get", "update", "-q")
    run("apt-get", "install", "-q", "-y", "--no-install-recommends", *PACKAGES)


def run(*words: str) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    subprocess.run(words, check=True, env=environment, stdout=subprocess.DEVNULL)


def start(folder: Path) -> None:
    """Write the config, start the daemons and wait until both nodes are idle."""
    if why := obstacle():
        sys.exit(why)
    if not installed():
        install()
    if LINK.is_symlink():  # an earlier start was not stopped
        stop(LINK.readlink().parent)
    prepare(folder)
    munge = {"socket": "socket", "key-file": "key", "log-file": "log", "seed-file": "seed"}
    options = [f"--{option}={folder}/munge.{suffix}" for option, suffix in munge.items()]
    run("munged", *options, f"--pid-file={folder}/munged.pid")
    run("slurmctld", "-f", f"{folder}/slurm.conf")
    for node in NODES:
        run("slurmd", "-N", node, "-f", f"{folder}/slurm.conf")
    for node in NODES:
        wait_for(node)


def prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)  # which munge requires; mkdtemp makes 0700
    (folder / "state").mkdir(exist_ok=True)
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(128))
    host = socket.gethostname()
    nodes = [
        NODE.format(name=name, host=host, port=16821 + i, cpus=CPUS, memory=MEMORY_MB)
        for i, name in enumerate(NODES)
    ]
    text = CONFIG.format(host=host, folder=folder, nodes="\n".join(nodes))
    (folder / "slurm.conf").write_text(text)
    LINK.parent.mkdir(exist_ok=True)
    LINK.unlink(missing_ok=True)
    LINK.symlink_to(folder / "slurm.conf")


def wait_for(node: str, seconds: float = 600) -> None:
    """Wait until a node is idle."""
    command = ["sinfo", "--noheader", "--Node", "--nodes", node, "--format", "%T"]
    end = time.monotonic() + seconds
    while subprocess.run(command, capture_output=True, text=True).stdout.strip() != "idle":
        if time.monotonic() > end:
            sys.exit(f"SLURM's node {node} is not idle after {seconds:.0f} s")
        time.sleep(0.2)


def stop(folder: Path) -> None:
    """Cancel all jobs, then end the daemons by their pid files, munge last."""
    if (folder / "slurmctld.pid").exists():
        subprocess.run(["scancel", "--full", "--partition", "all"], capture_output=True, timeout=20)
    for name in DAEMONS:
        stop_daemon(folder / f"{name}.pid")
    if os.path.lexists(LINK) and made_here(LINK):
        LINK.unlink()


def stop_daemon(pid_file: Path, seconds: float = 15) -> None:
    try:
        pid = int(pid_file.read_text())
        os.kill(pid, signal.SIGTERM)
    except (FileNotFoundError, ValueError, ProcessLookupError):
        return
    end = time.monotonic() + seconds
    while Path(f"/proc/{pid}").exists():
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            break
        time.sleep(0.1)
    pid_file.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(obstacle())
