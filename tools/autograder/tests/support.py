"""A lab without CUDA: every task is out = in + 1 over int32, judged in Python."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from autograder.context import Context
from autograder.judge.check import Checker
from autograder.judge.oracles import Checked, Oracles
from autograder.plan.manifest import Limits, Manifest, TaskEntry
from autograder.plan.tables import Array, ArraySpec, Shape, TaskTable
from autograder.processes import Processes
from autograder.report.result import TaskResult
from autograder.run.machine import Machine
from autograder.submission import Settings, Submission
from autograder.task import TaskGrader
from autograder.timing.device_lock import Turns

FAKE = Path(__file__).with_name("fake_device.py")
MACHINE = Machine((sys.executable, str(FAKE)), device="teaching", caged=False)
SIZES = [0, 1, 31, 255, 256, 257, 1023, 1025, 5000]


class FakeOracles(Oracles):
    """The same calls as a lab's oracle."""

    def __init__(self, broken: bool = False) -> None:
        self.broken = broken

    def max_n(self, lab: int, task: str) -> int:
        return 5000

    def shape(self, lab: int, task: str, variant: str, n: int, seed: int) -> Shape:
        arrays = [ArraySpec("d_in", "int32", n)], [ArraySpec("d_out", "int32", n)]
        return Shape(*arrays, 8.0 * n, {"half": n // 2}, text=f"{n} numbers")

    def generate(self, lab: int, task: str, variant: str, n: int, seed: int, shape: Shape) -> list[Array]:
        return [np.random.default_rng(seed).integers(-1000, 1000, n, np.int32)]

    def check(
        self,
        lab: int,
        task: str,
        variant: str,
        n: int,
        seed: int,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        poison: int = -1,
    ) -> Checked:
        expected = inputs[0].astype(np.int32) + (2 if self.broken else 1)
        wrong = expected != outputs[0]
        count = wrong.size
        if task.startswith("variable"):  # a result of n / 2 elements, the others untouched
            count = n // 2
            wrong[count:] = outputs[0][count:].view(np.uint32) != poison * 0x01010101
        return Checked(not wrong.any(), [expected], [wrong], [count])


def runner_script(folder: Path, name: str = "runner") -> Path:
    """An executable that is the fake runner; one named "good" does every task right."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
    path.chmod(0o755)
    return path


def task_of(
    folder: Path,
    name: str,
    *,
    seconds: float = 5.0,
    memory: float = 2048,
    reference: Path | None = None,
    any_order: bool = False,
    evidence: Mapping[str, str] | None = None,
) -> tuple[Submission, TaskTable, TaskEntry]:
    """A submission with one misbehaviour."""
    runner = runner_script(folder)
    entry = TaskEntry(name, 10, any_order=any_order, evidence=dict(evidence or {}))
    manifest = Manifest(3, "add", "Add", "add.cu", [entry], Limits(seconds, memory, 100))
    good = reference or runner_script(folder, "good")
    return Submission(manifest, runner, lambda: good, MACHINE), TaskTable(name, 5000, SIZES, 5000), entry


def grade_task(
    folder: Path, name: str, *, settings: Settings | None = None, oracles: Oracles | None = None, **of_task: Any
) -> TaskResult:
    """Grades one misbehaviour; `of_task`: see task_of."""
    submission, table, entry = task_of(folder, name, **of_task)
    grader = TaskGrader(oracles or FakeOracles(), submission, settings or Settings(seed=1))
    return grader.with_private(table, entry, grader.grade(table, entry)).result


def context_of(submission: Submission, **settings: Any) -> Context:
    """What the steps of a task work with."""
    options = Settings(seed=1, **settings)
    checker = Checker(FakeOracles(), submission.manifest.number, submission.manifest)
    processes = Processes(submission, options, checker)
    return Context(submission, options, checker, processes, Turns(), lambda task, part: None)


@cache
def graded(name: str) -> TaskResult:
    """The result of a misbehaviour; several tests look at the same."""
    with tempfile.TemporaryDirectory() as folder:
        return grade_task(Path(folder), name)
