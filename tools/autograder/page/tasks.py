"""One task as its part of the page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograder.explain.places import short_name
from autograder.page import charts, lanes
from autograder.page.annotated_source import File, listing
from autograder.page.failures import marks, strip_or_image
from autograder.page.sources import Sources
from autograder.page.svg import Drawing
from autograder.report.listing import call_text
from autograder.report.result import TaskResult
from autograder.report.table import checks_of, output_of, time_of
from autograder.timing.evidence import text_of
from autograder.timing.measure import seconds
from autograder.timing.speed import by_name
from autograder.verdict import MEANING

TONE = {"AC": "good", "SLOW": "slow", "SKIP": "idle", "CHECK": "check", "IE": "fault"}


@dataclass(frozen=True)
class KernelRow:
    """All launches of one kernel."""

    name: str
    launches: int
    shape: str
    time: str
    share: float
    limit: str


@dataclass(frozen=True)
class LaneMap:
    """The addresses of one warp on one line."""

    place: str
    line: str
    who: str
    said: str
    first: int  # the access that is drawn, from 1
    count: int
    all: int  # accesses that the warp made; only `count` of them are kept
    data: str
    drawing: Drawing
    shared: bool


@dataclass(frozen=True)
class TaskView:
    """What the templates need in addition to the task itself."""

    task: TaskResult
    anchor: str
    tone: str
    meaning: str
    output: str
    checks: str
    speed: str
    ratio: float | None
    call: str
    open: bool
    picture: Drawing | None
    legend: list[tuple[str, str]]
    sizes: Drawing | None
    kernels: list[KernelRow]
    files: list[File]
    lanes: LaneMap | None
    evidence: list[tuple[bool, str]]  # whether there is some, and what was counted

    @property
    def owners(self) -> bool:
        """Whether it is known which threads should have written some of the wrong elements."""
        return any(one.owner for one in (self.task.failure.elements if self.task.failure else ()))

    @property
    def has_times(self) -> bool:
        """Whether a line has counters, so that the gutter has something to say."""
        return any(row.counters for file in self.files for row in file.rows)


def view(task: TaskResult, sources: Sources, number: int) -> TaskView:
    picture = task.failure.picture if task.failure else None
    return TaskView(
        task,
        f"task-{number}",
        TONE.get(task.verdict, "bad"),
        MEANING[task.verdict],
        output_of(task),
        checks_of(task),
        time_of(task),
        task.time.ratio if task.time else None,
        call_text(task).removeprefix(" · "),
        task.verdict not in ("AC", "SKIP"),
        strip_or_image(picture) if picture else None,
        marks(picture) if picture else [],
        charts.over_sizes(task),
        _kernels(task),
        listing(task, sources),
        _lanes(task),
        [(one.met, text_of(one)) for one in task.evidence],
    )


def _kernels(task: TaskResult) -> list[KernelRow]:
    whole = sum(kernel.seconds for kernel in task.kernels) or 1.0
    rows = []
    for name, group in by_name(task.kernels).items():
        widest = max(group, key=lambda one: one.blocks * one.block_threads)
        spent = sum(one.seconds for one in group)
        limit = max(group, key=lambda one: one.seconds).limited_by
        shape = f"{widest.blocks:,} × {widest.block_threads:,}"
        rows.append(KernelRow(name, sum(one.launches for one in group), shape, seconds(spent), spent / whole, limit))
    return sorted(rows, key=lambda one: -one.share)


def _lanes(task: TaskResult) -> LaneMap | None:
    trace = task.trace
    if trace is None or not trace.steps:
        return None
    at = lanes.first_shown(trace)
    step = trace.steps[at]
    block = ", ".join(str(one) for one in trace.block) if any(trace.block[1:]) else str(trace.block[0])
    place = f"{trace.place.file.rpartition('/')[2]}:{trace.place.line}"
    who = f"warp {trace.warp} of block {block}, in {short_name(trace.kernel)}"
    return LaneMap(
        place, trace.place.text.strip(), who, lanes.sentence(step), at + 1, len(trace.steps), trace.count,
        lanes.steps_of(trace), lanes.drawing(step), step.space == "shared",
    )  # fmt: skip


def tally(tasks: list[TaskView]) -> list[tuple[str, str, int]]:
    """Tone, verdict and number of each verdict that there is."""
    counts: dict[str, Any] = {}
    for one in tasks:
        counts.setdefault(one.task.verdict, [one.tone, 0])[1] += 1
    return [(tone, verdict, count) for verdict, (tone, count) in counts.items()]
