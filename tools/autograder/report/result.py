"""A lab's result as data: what `-o json` writes (docs/result-schema.md) and every report is made from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from autograder import __version__
from autograder.build.warnings import CompilerWarning
from autograder.cause.causes import Cause
from autograder.errors import CompileError
from autograder.explain.explanation import Explanation, Failure, Picture
from autograder.judge.judgement import Judgement
from autograder.plan.manifest import Manifest, TaskEntry, load
from autograder.plan.request import Request
from autograder.run.protocol import Finding, KernelReport, Trace
from autograder.sanitize import LINE, LINES, cut
from autograder.timing.evidence import Evidence
from autograder.timing.measure import Timing
from autograder.timing.study import NOTHING, Study, TimeAt
from autograder.verdict import RIGHT, Verdict

SCHEMA = "cuda-labs/result/v1"
PRINTED = 20_000  # characters that a process has printed
COMPILER = 100_000  # characters of a compiler's messages


class OutputResult(msgspec.Struct, frozen=True):
    """How many calls gave the right output."""

    right: int = 0
    total: int = 0


class TimeResult(msgspec.Struct, frozen=True):
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


class PrivateResult(msgspec.Struct, frozen=True):
    """One set of a course's private cases, in full: not for the student."""

    name: str
    verdict: Verdict
    right: int
    total: int
    weight: str = ""  # % of the task's points; "": a failure is the task's verdict
    show: str = "verdict"  # what the student is told: verdict, size or all
    n: int = 0  # of the call that failed
    variant: str = ""
    reason: str = ""
    details: tuple[str, ...] = ()
    where: str = ""
    again: str = ""


class TaskResult(msgspec.Struct, frozen=True):
    """One task."""

    name: str
    points: float
    of: float
    core: bool
    verdict: Verdict
    output: OutputResult = OutputResult()
    clean: bool | None = None  # null: nothing was checked
    reason: str = ""  # one line
    details: tuple[str, ...] = ()
    kind: str = ""  # of the proved cause; else of the first finding; else ""
    where: str = ""  # file:line
    again: str = ""
    failure: Failure | None = None
    cause: Cause | None = None  # proved by experiments; `reason` and `where` are its title and place
    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    time: TimeResult | None = None
    evidence: tuple[Evidence, ...] = ()  # that the task asks for, of the timed call on the virtual GPU
    kernels: tuple[KernelReport, ...] = ()
    counted_n: int = 0  # the size of the call that they are of
    counted_variant: str = ""  # and its variant, if that is not the timed one
    sizes: tuple[TimeAt, ...] = ()  # times at other sizes; this and the next for ./grader report only
    trace: Trace | None = None  # addresses on the line that costs most
    printed: str = ""
    seconds: float = 0.0  # that grading took
    unchanged: str = ""  # since when, if it was not graded again: for the student's own screen only
    private: tuple[PrivateResult, ...] = ()  # in the instructor's record only


class LabName(msgspec.Struct, frozen=True):
    number: int
    name: str
    title: str
    folder: str = ""
    file: str = ""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the grader over one lab."""

    schema: str = SCHEMA
    grader: str = __version__
    lab: LabName
    source: str  # "lab", "solution", or the file that was graded
    device: str
    modelled: bool
    seed: str
    points: float
    of: float
    full_marks: bool
    passed: bool  # every task that was graded is AC
    partial: bool  # only a part was graded: --task, --n, --max-n, --no-time
    tasks: tuple[TaskResult, ...]
    seconds: float
    compiler: str = ""  # CE: what the compiler says
    warnings: tuple[CompilerWarning, ...] = ()  # about the graded file, those that are likely to be mistakes

    @property
    def exit_status(self) -> int:
        if any(task.verdict == "IE" for task in self.tasks):
            return 3
        if any(task.verdict not in RIGHT for task in self.tasks):
            return 1
        complete = all(task.points == task.of for task in self.tasks if task.time)
        return 0 if self.full_marks or (self.partial and complete) else 1


def task_result(
    entry: TaskEntry,
    verdict: Verdict,
    points: float,
    judgement: Judgement,
    explanation: Explanation,
    *,
    time: TimeResult | None = None,
    kernels: Sequence[KernelReport] = (),
    study: Study = NOTHING,
    evidence: tuple[Evidence, ...] = (),
    counted_n: int = 0,
    again: str = "",
    printed: str = "",
    seconds: float = 0.0,
) -> TaskResult:
    """Puts together what each step found out about one task."""
    return TaskResult(
        entry.name,
        points,
        entry.points,
        entry.core,
        verdict,
        output=OutputResult(judgement.right, judgement.planned),
        clean=judgement.clean,
        again=again,
        **in_words(explanation),
        findings=explanation.findings,
        notes=explanation.notes,
        time=time,
        evidence=evidence,
        kernels=tuple(kernels),
        counted_n=counted_n,
        sizes=study.sizes,
        trace=study.trace,
        printed=printed,
        seconds=seconds,
    )


def in_words(explanation: Explanation) -> dict[str, Any]:
    """The fields of a TaskResult that say what is wrong; findings and notes are what was seen."""
    names = ("reason", "details", "kind", "where", "failure", "cause")
    return {name: getattr(explanation, name) for name in names}


def fault(entry: TaskEntry, reason: str, seconds: float) -> TaskResult:
    """The result of a task that the grader could not judge."""
    details = ("this is not your fault and costs no points; please report it",)
    return TaskResult(entry.name, 0.0, entry.points, entry.core, "IE", reason=reason, details=details, seconds=seconds)


def time_result(timing: Timing, variant: str) -> TimeResult:
    return TimeResult(
        timing.n, timing.student, timing.reference, timing.ratio, timing.low, timing.high, timing.pairs,
        timing.virtual, timing.noisy, timing.bytes / timing.student, timing.copy_bandwidth, variant,
    )  # fmt: skip


def bounded(task: TaskResult) -> TaskResult:
    """The task with no text that is too long to read: every result that anybody sees comes through here.

    Kernels, findings and notes were bounded when the device's reply was read.
    """
    named = ("reason", "details", "kind", "where", "again", "failure", "cause", "private")
    changed = {name: _bounded(getattr(task, name)) for name in named}
    return msgspec.structs.replace(task, **changed, printed=cut(task.printed, PRINTED))


def _bounded(value: Any) -> Any:
    if isinstance(value, str):
        return cut(value, LINE)
    if isinstance(value, msgspec.Struct) and not isinstance(value, Picture):  # whose cells are the grader's
        return msgspec.structs.replace(
            value, **{name: _bounded(getattr(value, name)) for name in value.__struct_fields__}
        )
    if not isinstance(value, tuple):
        return value
    kept = tuple(map(_bounded, value[:LINES]))
    left = len(value) - len(kept)
    return (*kept, f"… (cut: {left:,} more lines)") if left and isinstance(value[0], str) else kept


def lab_result(
    request: Request,
    manifest: Manifest,
    tasks: Sequence[TaskResult],
    *,
    device: str,
    modelled: bool,
    seed: int,
    all_tasks: bool,
    seconds: float,
    warnings: Sequence[CompilerWarning] = (),
) -> Result:
    """The results of a lab's tasks, put together. `all_tasks`: none was left out."""
    return Result(
        lab=_name(request.folder, manifest),
        source=request.source,
        device=device,
        modelled=modelled,
        seed=f"{seed:x}",
        points=round(sum(task.points for task in tasks), 1),
        of=sum(task.of for task in tasks),
        full_marks=all_tasks and all(task.points == task.of for task in tasks),
        passed=all(task.verdict == "AC" for task in tasks),
        partial=request.n is not None or not request.timed or request.max_n is not None or not all_tasks,
        tasks=tuple(tasks),
        seconds=seconds,
        warnings=tuple(warnings),
    )


def compile_failure(request: Request, error: CompileError) -> Result:
    """The result of a submission that does not compile: every task that was asked for is CE."""
    manifest = load(request.folder)
    reason, *details = str(error).splitlines() or [""]
    lines = tuple(details)
    tasks = tuple(
        bounded(
            TaskResult(entry.name, 0.0, entry.points, entry.core, "CE", reason=reason, details=lines, where=error.where)
        )
        for entry in manifest.task
        if not request.tasks or entry.name in request.tasks
    )
    return Result(
        lab=_name(request.folder, manifest),
        source=request.file.name if request.file else "lab",
        device="",
        modelled=False,
        seed="",
        points=0.0,
        of=sum(task.of for task in tasks),
        full_marks=False,
        passed=False,
        partial=len(tasks) < len(manifest.task),
        tasks=tasks,
        seconds=0.0,
        compiler=cut(error.text, COMPILER),
    )


def encode(result: Result) -> bytes:
    return msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"


def _name(folder: Path, manifest: Manifest) -> LabName:
    return LabName(manifest.number, manifest.name, manifest.title, folder.name, manifest.file)
