"""A Slurm cluster on this machine, for tests: a controller and two node daemons, in a folder of its own.

Nothing of the system's own Slurm is read or changed: configuration, key, sockets and state are in the folder, the ports
are free ones, and all daemons run as whoever starts them.

    python -m classes.tests.slurm_cluster FOLDER          # until ^C or TERM; says what to export to use it
"""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

NODES = ("n1", "n2")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
INSTALL = "apt install slurmctld slurmd slurm-client munge"
_START_SECONDS = 120.0
_CPUS = 4  # of each node, as Slurm believes
_GPUS = ("/dev/null", "/dev/zero")  # stand-ins for two GPUs of each node: Slurm wants files


def missing() -> str:
    """Why there can be no cluster here; "" if there can."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    absent = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    return f"Slurm is not installed ({', '.join(absent)}): {INSTALL}" if absent else ""


class TestCluster:
    """Started when made; `stop` ends all that it has started, and all that runs in jobs."""

    __test__ = False  # it is not a test itself

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self._log = (folder / "daemons.log").open("ab")
        self._configure()
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}
        try:
            self._run("munged", "munged", "--foreground", "--force", f"--key-file={folder}/munge.key",
                      f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                      f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")  # fmt: skip
            self._until(lambda: (folder / "munge.socket").exists(), "munged answers")
            self._run("slurmctld", "slurmctld", "-D", "-i")
            for node in NODES:
                self.start_node(node)
            self._until(lambda: self.states() == dict.fromkeys(NODES, "idle"), "both nodes are idle")
        except BaseException:
            self.stop()
            raise

    def start_node(self, node: str) -> None:
        self._run(node, "slurmd", "-D", "-N", node)

    def states(self) -> dict[str, str]:
        lines = self.ask("sinfo", "--noheader", "-N", "-o", "%N %t").splitlines()
        return dict(line.split() for line in lines)

    def jobs(self) -> dict[str, str]:
        """The state of each job that is waiting or running."""
        return dict(line.split() for line in self.ask("squeue", "--noheader", "-o", "%i %T").splitlines())

    def ask(self, *words: str) -> str:
        done = subprocess.run(words, env=os.environ | self.environment, capture_output=True, text=True, check=False)
        return done.stdout

    def kill_daemon(self, node: str) -> None:
        """The daemon alone: what runs on its node goes on."""
        self._daemons[node].kill()
        self._daemons[node].wait()

    def kill_node(self, node: str) -> None:
        """As if the power went: the daemon and all that it has started, at once, its supervisors first."""
        self.kill_daemon(node)
        for _ in range(3):  # what was started meanwhile
            for pid in self.processes(node):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def processes(self, node: str) -> list[int]:
        """Of the jobs on a node: their supervisors, then whatever has Slurm's mark in its environment."""
        marks = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={self.folder}/slurm.conf".encode()}
        supervisors, found = set(), []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if marks <= set((entry / "environ").read_bytes().split(b"\0")):
                    found.append(int(entry.name))
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                    if Path(f"/proc/{parent}/cmdline").read_bytes().startswith(b"slurmstepd"):
                        supervisors.add(parent)
        return [*supervisors, *found]

    def stop(self) -> None:
        for name in NODES:
            if name in self._daemons:
                self.kill_node(name)
        for process in reversed(self._daemons.values()):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._log.close()

    def _run(self, name: str, *words: str) -> None:
        environment = os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf")}
        environment["PATH"] = f"{environment.get('PATH', '')}:/usr/sbin:/sbin"
        self._daemons[name] = subprocess.Popen(
            words, env=environment, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, start_new_session=True
        )

    def _until(self, done: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + _START_SECONDS
        while not done():
            ended = [name for name, process in self._daemons.items() if process.poll() is not None]
            if ended or time.monotonic() > end:
                said = (self.folder / "daemons.log").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"waited for: {what}; ended: {', '.join(ended) or 'none'}\n{said}")
            time.sleep(0.1)

    def _configure(self) -> None:
        host, user = socket.gethostname(), getpass.getuser()
        (self.folder / "munge.key").write_bytes(secrets.token_bytes(128))
        (self.folder / "munge.key").chmod(0o400)
        (self.folder / "state").mkdir(exist_ok=True)
        ports = _free_ports(1 + len(NODES))
        nodes = [
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={_CPUS} Gres=gpu:{len(_GPUS)}"
            for node, port in zip(NODES, ports[1:], strict=True)
        ]
        lines = [
            "ClusterName=test", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={ports[0]}",
            f"SlurmUser={user}", f"SlurmdUser={user}", f"AuthInfo=socket={self.folder}/munge.socket",
            "CredType=cred/munge", f"StateSaveLocation={self.folder}/state", f"SlurmdSpoolDir={self.folder}/spool_%n",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid", f"SlurmdPidFile={self.folder}/slurmd_%n.pid",
            f"SlurmctldLogFile={self.folder}/slurmctld.log", f"SlurmdLogFile={self.folder}/slurmd_%n.log",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none", "ReturnToService=2",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU", "SlurmdParameters=config_overrides",
            "SlurmdTimeout=10", "KillWait=2", "JobAcctGatherType=jobacct_gather/none", "GresTypes=gpu",
            "SchedulerParameters=sched_min_interval=0,batch_sched_delay=0", "MessageTimeout=20",
            *nodes,
            f"PartitionName=main Nodes={','.join(NODES)} Default=YES MaxTime=10:00:00 State=UP",
            f"PartitionName=closed Nodes={NODES[0]} MaxTime=10:00:00 State=DOWN",
        ]  # fmt: skip
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        gpus = [f"NodeName={node} Name=gpu File={file}" for node in NODES for file in _GPUS]
        (self.folder / "gres.conf").write_text("\n".join(gpus) + "\n")
        (self.folder / "cgroup.conf").write_text("CgroupAutomount=no\n")


def _free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def main() -> None:
    why = missing()
    if why:
        raise SystemExit(why)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as ^C: daemons have sessions of their own
    cluster = TestCluster(Path(sys.argv[1]).absolute())
    try:
        print(f"export SLURM_CONF={cluster.environment['SLURM_CONF']}", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
