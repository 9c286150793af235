"""A lab's result as data: what `-o json` writes (docs/result-schema.md) and every report is made from."""

from __future__ import annotations

from pathlib import Path

import msgspec

from autograder import __version__
from autograder.errors import CompileError
from autograder.plan.manifest import load
from autograder.run.protocol import Finding, KernelReport
from autograder.score import Verdict

SCHEMA = "cuda-labs/result/v1"


class OutputResult(msgspec.Struct):
    """How many calls gave the right output."""

    right: int = 0
    total: int = 0


class WrongElement(msgspec.Struct):
    """One wrong element. Values are text, so that 64-bit integers and NaN survive JSON."""

    index: int
    expected: str
    got: str
    owner: str = ""


class Failure(msgspec.Struct):
    """The smallest call that failed."""

    n: int
    variant: str
    seed: int  # of the data, as `build/labN --seed` takes it
    schedule: int
    output: str = ""
    wrong: int = 0
    of: int = 0
    elements: list[WrongElement] = []
    worst_error: float | None = None
    tolerance: float | None = None


class TimeResult(msgspec.Struct):
    """Seconds of device time, and the ratio T_reference / T_student."""

    n: int
    seconds: float
    reference_seconds: float
    ratio: float
    low: float
    high: float
    pairs: int
    modelled: bool
    noisy: bool
    bytes_per_second: float
    copy_bandwidth: float | None = None  # of the same device in the same run
    variant: str = ""


class Mistake(msgspec.Struct):
    """One of two things that are wrong at once."""

    reason: str  # one line
    where: str = ""  # file:line
    pattern: str = ""
    details: list[str] = []
    hint: str = ""
    finding: Finding | None = None


class TaskResult(msgspec.Struct):
    """One task."""

    name: str
    points: float
    of: float
    core: bool
    verdict: Verdict
    output: OutputResult = msgspec.field(default_factory=OutputResult)
    clean: bool | None = None  # null: nothing was checked
    reason: str = ""  # one line
    details: list[str] = []
    pattern: str = ""
    hint: str = ""
    where: str = ""  # file:line
    again: str = ""
    failure: Failure | None = None
    mistakes: list[Mistake] = []  # two things are wrong: the one to mend first, and the other
    findings: list[Finding] = []
    notes: list[Finding] = []
    time: TimeResult | None = None
    kernels: list[KernelReport] = []
    printed: str = ""
    seconds: float = 0.0  # that grading took


class LabName(msgspec.Struct):
    number: int
    name: str
    title: str
    folder: str = ""
    file: str = ""


class Result(msgspec.Struct, kw_only=True):
    """One run of the grader over one lab."""

    schema: str = SCHEMA
    grader: str
    lab: LabName
    source: str  # "lab", "solution", or the file that was graded
    device: str
    modelled: bool
    seed: str
    points: float
    of: float
    full_marks: bool
    passed: bool  # every task that was graded is AC
    partial: bool  # not everything was graded: --task, --n, --max-n, --no-time
    tasks: list[TaskResult]
    seconds: float
    compiler: str = ""  # CE: what the compiler says

    @property
    def exit_status(self) -> int:
        if any(task.verdict == "IE" for task in self.tasks):
            return 3
        if any(task.verdict not in ("AC", "SLOW") for task in self.tasks):
            return 1
        complete = all(task.points == task.of for task in self.tasks if task.time)
        return 0 if self.full_marks or (self.partial and complete) else 1


def compile_failure(folder: Path, file: Path | None, error: CompileError) -> Result:
    """The result of a submission that does not compile: every task is CE."""
    manifest = load(folder)
    reason, *details = str(error).splitlines() or [""]
    tasks = [
        TaskResult(entry.name, 0.0, entry.points, entry.core, "CE", reason=reason, details=details, where=error.where)
        for entry in manifest.task
    ]
    return Result(
        grader=__version__,
        lab=LabName(manifest.number, manifest.name, manifest.title, folder.name, manifest.file),
        source=file.name if file else "lab",
        device="",
        modelled=False,
        seed="",
        points=0.0,
        of=sum(task.of for task in tasks),
        full_marks=False,
        passed=False,
        partial=False,
        tasks=tasks,
        seconds=0.0,
        compiler=error.text,
    )


def encode(result: Result) -> bytes:
    return msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"
