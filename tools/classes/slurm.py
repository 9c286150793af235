"""Grades on the nodes of a Slurm cluster, through Parsl: a job is a node, or a GPU of one, with workers in it.

Workers get files and give back results, in messages that are encrypted; they never open the class's database. The
repository with build/ and .venv/ is on a file system that all nodes share. What is made of a submission goes to a
folder of the node's own.
"""

from __future__ import annotations

import getpass
import json
import math
import queue
import shlex
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path

from parsl import DataFlowKernel, python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.executors.high_throughput.errors import ManagerLost, WorkerLost
from parsl.jobs.states import JobState
from parsl.launchers import SimpleLauncher
from parsl.providers import SlurmProvider

from autograder.errors import GraderError
from autograder.words import counted
from classes.cluster import DRAIN, Cluster, ask_slurm, hours_of, seconds_of
from classes.executor import Ended, Task
from classes.node import NODE_FOLDER, Check, grade_on_node
from classes.submitted_files import shown

_WATCH = 3.0  # seconds between two looks at jobs and nodes
_POLL_JOBS = 30  # seconds between two questions to Slurm
_STRATEGY = 2.0  # seconds between two decisions about how many jobs
_IDLE = 60.0  # seconds, then a job that is no longer needed ends
_FIRST_LINE, _NEXT_LINE = 20.0, 600.0  # seconds without a node, then people are told
_BROKEN = 3  # jobs in a row that end before they are ready
_ENDED = (JobState.COMPLETED, JobState.FAILED, JobState.TIMEOUT, JobState.MISSING)
_NEVER = ("BadConstraints", "InvalidAccount", "InvalidQOS", "AccountNotAllowed", "QOSNotAllowed", "JobHeldAdmin",
          "PartitionNodeLimit", "PartitionTimeLimit", "AssocMaxWallDurationPerJobLimit")  # fmt: skip


class _Provider(SlurmProvider):
    """Gives all jobs of a class one name, by which a later run finds those that remain."""

    job_name = ""

    def submit(self, command: str, tasks_per_node: int, job_name: str = "") -> str:
        return str(super().submit(command, tasks_per_node, self.job_name))

    @property
    def status_polling_interval(self) -> int:
        return _POLL_JOBS


class SlurmExecutor:
    """An Executor. `name` is the class's own; `folder` is for logs, on the shared file system; `tell` is for people."""

    def __init__(
        self, cluster: Cluster, name: str, folder: Path, check: Check, files: int, limit: float,
        tell: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._cluster, self._name, self._folder, self._tell = cluster, f"cuda-labs-{name}", folder, tell
        self._ended: queue.SimpleQueue[tuple[Task, Future[Ended]]] = queue.SimpleQueue()
        self._begin = self._watched = time.monotonic()
        self._said, self._ready = (0.0, ""), set[str]()
        jobs = max(1, min(cluster.jobs, math.ceil(files / cluster.per_job)))
        # Twice as many as are graded at a time, so that a worker that is done never waits for us.
        self.slots = 2 * jobs * cluster.per_job
        gpus = " with one GPU each" if cluster.gpu else f", {cluster.per_job} at a time in each"
        self.where = f"up to {jobs} Slurm jobs{gpus}"
        self._cancel_jobs()  # of a run that was killed
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "nodes").mkdir(mode=0o700, parents=True)
        folder.chmod(0o700)
        (folder / "check.json").write_text(json.dumps(asdict(check)))
        self._pool = self._workers(jobs, check.root, limit)
        self._kernel: DataFlowKernel | None = None
        try:
            self._kernel = DataFlowKernel(Config(
                [self._pool], run_dir=str(folder / "parsl"), strategy="htex_auto_scale", strategy_period=_STRATEGY,
                max_idletime=_IDLE, initialize_logging=False,
            ))  # fmt: skip
        except BaseException:
            self._cancel_jobs()
            raise
        self._grade = python_app(grade_on_node, data_flow_kernel=self._kernel)

    def _workers(self, jobs: int, root: str, limit: float) -> HighThroughputExecutor:
        cluster = self._cluster
        provider = _Provider(
            init_blocks=jobs, max_blocks=jobs, exclusive=False, launcher=SimpleLauncher(),
            walltime=hours_of(seconds_of(cluster.time, "time")), cmd_timeout=60, worker_init=self._script(root),
            scheduler_options="\n".join(f"#SBATCH {one}" for one in cluster.directives()),
        )  # fmt: skip
        provider.job_name = self._name
        return HighThroughputExecutor(
            label="nodes", provider=provider, max_workers_per_node=cluster.per_job, cores_per_worker=1e-6,
            address=cluster.address or None, worker_port_range=cluster.ports, encrypted=True,
            heartbeat_threshold=cluster.lost_after, heartbeat_period=max(1, cluster.lost_after // 4),
            # A job takes no more work once that work could outlast the job.
            drain_period=int(seconds_of(cluster.time, "time") - limit - DRAIN), block_error_handler=False,
            interchange_launch_cmd=[sys.executable, "-m", "classes.interchange"],
        )  # fmt: skip

    def _script(self, root: str) -> str:
        """Before the workers: the node's own folder, and the check. What fails is reported, and no work is sent."""
        python, report = Path(sys.executable), shlex.quote(str(self._folder / "nodes"))
        scratch = self._cluster.scratch or "${TMPDIR:-/tmp}"
        return "\n".join([
            "umask 077",
            *self._cluster.setup,
            f"export PATH={shlex.quote(str(python.parent))}:$PATH PYTHONPATH={shlex.quote(root + '/tools')}",
            f'scratch="{scratch}"; [ -d "$scratch" ] || mkdir -p "$scratch" || scratch=/tmp',
            f'export {NODE_FOLDER}=$(mktemp -d "$scratch/cuda-labs-job-XXXXXX")',
            f"""trap 'rm -rf "${NODE_FOLDER}"' EXIT""",
            f"if ! said=$({shlex.quote(str(python))} -m classes.node "
            f'{shlex.quote(str(self._folder / "check.json"))} 2>&1); then',
            f'    printf "%s: %s\\n" "${{SLURMD_NODENAME:-$(hostname)}}" "$said" > {report}/.$SLURM_JOB_ID &&'
            f" mv {report}/.$SLURM_JOB_ID {report}/$SLURM_JOB_ID",
            "    exit 1",
            "fi",
        ])  # fmt: skip

    def start(self, task: Task) -> None:
        future = self._grade(task)
        future.add_done_callback(lambda done: self._ended.put((task, done)))

    def wait(self, seconds: float) -> list[Ended]:
        end = time.monotonic() + seconds
        while True:
            self._watch()
            try:
                self._ended.put(self._ended.get(timeout=min(1.0, max(0.0, end - time.monotonic()))))
                self._watch(at_once=not self._ready)  # quick work may be done before the first look
                found = []
                while not self._ended.empty():
                    found.append(self._ended.get())
                return self._outcomes(found)
            except queue.Empty:
                if time.monotonic() >= end:
                    return []

    def _outcomes(self, found: Sequence[tuple[Task, Future[Ended]]]) -> list[Ended]:
        ended = [_outcome(task, done) for task, done in found]
        lost = Counter((one.place, one.errors) for one in ended if one.code == "lost")
        for (_, why), files in lost.items():
            self._tell(f"  {why}: {counted(files, 'file')} that it was grading will be graded again")
        return ended

    def _watch(self, at_once: bool = False) -> None:
        """Raises GraderError if waiting is useless; prints a message while there is no node."""
        now = time.monotonic()
        if now - self._watched < _WATCH and not at_once:
            return
        self._watched = now
        for report in sorted((self._folder / "nodes").glob("[0-9]*")):
            said = shown(report.read_text("utf-8", "replace").strip().replace("\n", " "), 400)
            raise GraderError(f"a node cannot grade, and got no work: {said}. Repair it, or leave it out (exclude ="
                              ' "NODE" in the file of --cluster); then run the same command again')  # fmt: skip
        managers = self._pool.connected_managers()
        fresh = {str(one["block_id"]) for one in managers} - self._ready
        if fresh and not self._ready:
            self._tell(f"  the first node is ready after {now - self._begin:.0f} s")
        self._ready |= fresh
        self._broken_jobs()
        if managers:
            self._begin = now
        else:
            self._no_node(now - self._begin)

    def _broken_jobs(self) -> None:
        """Raises GraderError if several jobs ended before they were ready, for example if a folder is not shared."""
        states = dict(self._pool.status_facade)
        last = max((int(one) for one in self._ready), default=-1)
        broken = [status for block, status in states.items() if status.state in _ENDED and int(block) > last]
        if len(broken) < _BROKEN:
            return
        refused = broken[-1].message or ""
        if refused.startswith("Failed to start block"):
            raise GraderError(f"Slurm refuses our jobs: {shown(refused, 500)}")
        said = [(status.stderr_summary or "").strip().rpartition("\n")[2] for status in broken]
        line = next((one for one in reversed(said) if one), f"nothing; is {self._folder} on a shared file system?")
        raise GraderError(f"{_BROKEN} jobs ended before they were ready; the last said: {shown(line, 500)}")

    def _no_node(self, seconds: float) -> None:
        """Says why no job has a node yet, in Slurm's words."""
        patience = seconds_of(self._cluster.give_up_after, "") if self._cluster.give_up_after else math.inf
        if seconds < min(_FIRST_LINE, patience):
            return
        _, said = ask_slurm("squeue", "--noheader", f"--user={getpass.getuser()}", "--format=%j|%T|%r")
        jobs = [line.split("|") for line in said.splitlines() if line.startswith(f"{self._name}.")]
        waiting = Counter(reason for _, state, reason in jobs if state == "PENDING")
        if not waiting:
            return
        reasons = ", ".join(waiting)
        line = f"{sum(waiting.values())} jobs wait in Slurm for a node ({reasons})"
        if all(reason in _NEVER for reason in waiting):
            raise GraderError(f"{line}: that will never be; see squeue --me, and the file of --cluster")
        if seconds > patience:
            raise GraderError(f"{line}; given up after {self._cluster.give_up_after} (give_up_after)")
        then, before = self._said
        if reasons != before or time.monotonic() - then > _NEXT_LINE:
            self._said = (time.monotonic(), reasons)
            self._tell(f"  {line}, for {seconds:.0f} s now; ^C stops and cancels them")

    def close(self) -> None:
        try:
            if self._kernel is not None:
                self._kernel.cleanup()
        finally:
            self._cancel_jobs()

    def _cancel_jobs(self) -> None:
        _, said = ask_slurm("squeue", "--noheader", f"--user={getpass.getuser()}", "--format=%i|%j")
        jobs = [line.split("|")[0] for line in said.splitlines() if f"|{self._name}." in line]
        if jobs:
            ask_slurm("scancel", *jobs)


def _outcome(task: Task, done: Future[Ended]) -> Ended:
    error = done.exception()
    if error is None:
        return done.result()
    if isinstance(error, ManagerLost | WorkerLost):
        why = "gave no sign of life" if isinstance(error, ManagerLost) else "has lost the process that was grading"
        return Ended(task.digest, "lost", errors=f"node {error.hostname} {why}", place=error.hostname)
    return Ended(task.digest, 1, errors=f"{type(error).__name__}: {error}")
