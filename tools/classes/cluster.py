"""What a cluster is asked for, as its administrator writes it: `--cluster FILE`, in TOML, with Slurm's own words."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import msgspec

from autograder.errors import UsageError
from classes.submitted_files import shown

DRAIN = 120.0  # seconds of a job's time that must remain when its last submission ends
_SLURM_SECONDS = 60.0
_GPU = re.compile(r"(gres/)?gpu\b")


class Cluster(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """docs/cluster.md explains each. A job has one node, or a part of one."""

    partition: str = ""
    account: str = ""
    qos: str = ""
    constraint: str = ""
    gres: str = ""  # gpu:1: one GPU a job, with one submission at a time
    exclude: str = ""
    jobs: int = 10  # at a time, at most
    cpus: int = 4  # of a job
    mem: str = ""  # of a job, as sbatch takes it: 16G
    time: str = "02:00:00"  # of a job
    sbatch: list[str] = []  # further options
    setup: list[str] = []  # lines of shell for the node, before anything else
    workers: int = 0  # submissions at a time in a job; 0: one per core, or one per GPU
    scratch: str = ""  # a folder of the node's own; default: $TMPDIR there, or /tmp
    address: str = ""  # of this machine, as nodes reach it; default: each that it has is tried
    ports: tuple[int, int] = (54000, 55000)  # on which nodes reach this machine
    lost_after: int = 60  # seconds without a sign of life after which a node's work goes to another
    give_up_after: str = ""  # when no job has begun; default: never

    @property
    def gpu(self) -> bool:
        return any(_GPU.match(one) for one in self.gres.split(","))

    @property
    def per_job(self) -> int:
        return 1 if self.gpu else self.workers or self.cpus

    def directives(self) -> list[str]:
        """Directives for sbatch, without those that Parsl writes itself: nodes, tasks, time, output."""
        named = {"partition": self.partition, "account": self.account, "qos": self.qos, "gres": self.gres,
                 "constraint": self.constraint, "exclude": self.exclude, "mem": self.mem}  # fmt: skip
        # A job whose node dies is not started again by Slurm: another takes its place if there is work for it.
        return [*(f"--{name}={text}" for name, text in named.items() if text), f"--cpus-per-task={self.cpus}",
                "--no-requeue", *self.sbatch]  # fmt: skip


def read_cluster(path: Path | None, limit: float) -> Cluster:
    """Raises UsageError where the file, or what it asks for, makes no sense. `limit`: seconds of a submission."""
    name = str(path) if path else "the default of a job's time"
    try:
        cluster = msgspec.toml.decode(path.read_bytes(), type=Cluster) if path else Cluster()
    except OSError as error:
        raise UsageError(f"--cluster {path}: {error.strerror}") from None
    except (msgspec.MsgspecError, ValueError) as error:
        known = ", ".join(Cluster.__struct_fields__)
        raise UsageError(f"--cluster {path}: {error}; there are: {known} (docs/cluster.md)") from None
    for field, least in (("jobs", 1), ("cpus", 1), ("workers", 0), ("lost_after", 5)):
        if getattr(cluster, field) < least:
            raise UsageError(f"{name}: {field} = {getattr(cluster, field)}: must be {least} or more")
    if not 0 < cluster.ports[0] < cluster.ports[1] < 65536:
        raise UsageError(f"{name}: ports = {list(cluster.ports)}: the first and the last of a range are expected")
    for text in (*cluster.directives(), cluster.scratch, cluster.address):
        if "\n" in text:
            raise UsageError(f"{name}: {shown(text)}: must be one line")
    asked = [one for one in cluster.gres.split(",") if _GPU.match(one)]
    if len(asked) > 1 or any(not re.fullmatch(r"(gres/)?gpu(:[A-Za-z_][\w.-]*)?(:1)?", one) for one in asked):
        raise UsageError(f"{name}: gres = {cluster.gres!r}: one GPU a job is expected, as gpu:1 or gpu:a100:1")
    if cluster.gpu and cluster.workers > 1:
        raise UsageError(f"{name}: workers = {cluster.workers}: one submission at a time uses a GPU; leave it out")
    if cluster.scratch and not cluster.scratch.startswith(("/", "$")):
        raise UsageError(f"{name}: scratch = {cluster.scratch!r}: an absolute path on the node is expected")
    if seconds_of(cluster.time, f"{name}: time") < limit + 2 * DRAIN:
        raise UsageError(f"{name}: time = {cluster.time} is too short: one submission may take {limit:g} s (--limit),"
                         f" and a job needs {2 * DRAIN:g} s besides")  # fmt: skip
    if cluster.give_up_after:
        seconds_of(cluster.give_up_after, f"{name}: give_up_after")
    return cluster


def seconds_of(text: str, what: str) -> float:
    """Seconds of a time in Slurm's forms: minutes, HH:MM:SS, D-HH, D-HH:MM or D-HH:MM:SS, and MM:SS."""
    found = re.fullmatch(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?", text.strip())
    if not found:
        raise UsageError(f"{what} = {text!r}: a time such as 02:00:00 or 1-12:00:00 is expected")
    days, *rest = found.groups()
    numbers = [int(one) for one in rest if one is not None]
    if days is not None:  # hours first
        units = (3600, 60, 1)
    else:  # minutes first, unless there are three
        units = (3600, 60, 1) if len(numbers) == 3 else (60, 1, 1)
    return int(days or 0) * 86400.0 + sum(number * unit for number, unit in zip(numbers, units, strict=False))


def hours_of(seconds: float) -> str:
    """HH:MM:SS, as Parsl takes it."""
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole % 3600 // 60:02}:{whole % 60:02}"


def try_submission(cluster: Cluster) -> None:
    """Asks Slurm whether it would ever start such a job. Raises UsageError with its words if not."""
    if shutil.which("sbatch") is None:
        raise UsageError("--executor slurm: there is no sbatch here; run this where you submit jobs of your cluster")
    words = ["sbatch", "--test-only", "--nodes=1", f"--time={cluster.time}", *cluster.directives(), "--wrap=true"]
    status, said = ask_slurm(*words)
    if status:
        line = said.strip().rpartition("\n")[2]
        asked = shown(shlex.join(words), 400)
        raise UsageError(f"Slurm would not start such a job: {shown(line, 300)} (asked: {asked})")


def ask_slurm(*words: str, variables: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Status, and all that it says."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=_SLURM_SECONDS, check=False, env=os.environ | (variables or {}))  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, f"{words[0]}: {error}"
    return done.returncode, done.stdout.decode("utf-8", "replace")
