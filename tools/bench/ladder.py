"""Times every task of every solution, with the output verified, next to the copy bandwidth of the same run.

A task's time is the median over fresh calls, after one that wakes it, as the grader times them. The tasks of one lab
are called in turn, one call each a round, so that a drift of the machine meets all of them alike. A task that takes
seconds (ONCE) is called once; one that takes many (TOO_LONG) is left out at larger sizes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.plan.tables import LabTable, TaskTable
from autograder.processes import end
from autograder.run.machine import machine
from autograder.run.memory import SharedMemory
from autograder.run.process import ProcessLimits, Runner
from autograder.timing.pairs import calls_in_a_batch

ONCE = 2.0  # seconds of a call; where it takes longer, one call is enough
TOO_LONG = 5.0  # seconds of a call; no larger size is tried then
LIMITS = ProcessLimits(300.0, 16384.0, 0, 60.0)


@dataclass(frozen=True)
class Row:
    """One task at one size."""

    lab: int
    task: str
    variant: str
    n: int
    seconds: float  # median
    low: float  # fastest and slowest call
    high: float
    bytes: float  # the least that must move
    copy_rate: float  # bytes a second, read and written, of a large device-to-device copy in the same run
    device: str

    @property
    def rate(self) -> float:
        return self.bytes / self.seconds

    @property
    def of_copy(self) -> float:
        return self.rate / self.copy_rate if self.copy_rate else 0.0


class Bench:
    """The solutions of one build folder."""

    def __init__(self, build: Path, rounds: int, device: str = "") -> None:
        """`device`: as the lab programs' --device takes it; empty: a GPU if one answers."""
        self._build = build
        self._rounds = rounds
        self._machine = machine(build.parent, build, device, sandbox=False)
        self._oracles = Oracles(build)

    def labs(self) -> list[LabTable]:
        return self._oracles.labs

    def copy_rate(self, lab: int) -> float:
        wanted = ["--device", self._machine.device] if self._machine.device else []
        command = [str(self._build / f"solution{lab}"), "--copy-bandwidth", *wanted]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        return float(done.stdout.split()[0])

    def lab(
        self, lab: LabTable, sizes: Sequence[int], variant: str | None = None, only: Sequence[str] = ()
    ) -> list[Row]:
        """All tasks of one lab, or `only` some, at every size that its contract allows, unless a smaller one took too
        long."""
        copy_rate = self.copy_rate(lab.number)
        rows: list[Row] = []
        for n in sorted(sizes):
            too_long = {row.task for row in rows if row.seconds > TOO_LONG}
            wanted = [task for task in lab.tasks if not only or task.name in only]
            tasks = [task for task in wanted if n <= task.max_n and task.name not in too_long]
            rows += self._round_robin(lab, tasks, n, variant, copy_rate) if tasks else []
        return rows

    def race(self, lab: LabTable, task: TaskTable, n: int, programs: Sequence[Path]) -> list[Row]:
        """One task of several programs of the same lab, in turn. They are not compared with a copy."""
        return self._round_robin(lab, [task] * len(programs), n, None, 0.0, programs)

    def _round_robin(
        self,
        lab: LabTable,
        tasks: Sequence[TaskTable],
        n: int,
        variant: str | None,
        copy_rate: float,
        programs: Sequence[Path] = (),
    ) -> list[Row]:
        """`programs`: one for each of the tasks; none: the solution's."""
        checker = Checker(self._oracles, lab.number)
        seed = int.from_bytes(os.urandom(7), "big")
        cases = [Case(task.name, variant_of(task, variant), n, seed, 0) for task in tasks]
        waking = [replace(case, seed=seed ^ 1) for case in cases]
        room = checker.room([*cases, *waking])
        # On a GPU a batch of calls takes some time beside them: it is measured without them, too.
        calls = 1 if self._machine.virtual else calls_in_a_batch(room)
        shared = SharedMemory(calls * room)
        programs = programs or [self._build / f"solution{lab.number}"] * len(tasks)
        runners = [Runner(program, self._machine, shared, LIMITS) for program in programs]
        prepared = [checker.prepare([case] * calls) for case in cases]
        right: list[Outcome | None] = [None for _ in tasks]  # the same bits once more need no second look
        times: list[list[float]] = [[] for _ in tasks]
        device = ""
        try:
            for case, runner in zip(waking, runners, strict=True):  # if it fails, so does the first call that counts
                checker.run(runner, case, checks=False)
            for _ in range(self._rounds):
                for at, (case, runner, inputs) in enumerate(zip(cases, runners, prepared, strict=True)):
                    if times[at] and times[at][0] > ONCE:
                        continue
                    outcome = checker.batch(runner, inputs, timed=True, as_right_as=right[at])
                    if not outcome.ok or outcome.reply is None:
                        why = outcome.death or outcome.wrong or outcome.reply
                        raise RuntimeError(f"lab {lab.number} {case.task} at n = {n}: {why}")
                    right[at] = outcome
                    nothing = 0.0
                    if not self._machine.virtual:
                        nothing = checker.batch(runner, inputs, timed=True, nothing=True).seconds
                    times[at].append(max(outcome.seconds - nothing, 1e-9) / calls)
                    device = outcome.reply.device + (", modelled" if outcome.reply.virtual else "")
        finally:
            for runner in runners:
                runner.close()
            shared.close()
        return [
            Row(
                lab.number,
                case.task,
                case.variant,
                n,
                statistics.median(spent),
                min(spent),
                max(spent),
                first.shape.bytes,
                copy_rate,
                device,
            )
            for case, spent, (first, *_) in zip(cases, times, prepared, strict=True)
        ]


@contextmanager
def running(program: Path, build: Path, device: str, room: int) -> Iterator[Runner]:
    """A program of a lab, with room for a call's arrays. It is always ended."""
    runner = Runner(program, machine(build.parent, build, device, sandbox=False), SharedMemory(room), LIMITS)
    try:
        yield runner
    finally:
        end(runner)


def solution(build: Path, lab: int, device: str, room: int) -> AbstractContextManager[Runner]:
    return running(build / f"solution{lab}", build, device, room)


def variant_of(task: TaskTable, wanted: str | None = None) -> str:
    """The variant that is timed: the one wanted, where the task has it, else its first."""
    if wanted is not None and wanted in task.variants:
        return wanted
    return task.variants[0] if task.variants else ""
