"""Source lines with counters in the gutter and findings below them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from autograder.explain.findings import finding_title
from autograder.page.sources import Sources
from autograder.report.listing import in_order, line_totals, remarks
from autograder.report.result import TaskResult
from autograder.run.protocol import Counters, Finding, KernelReport, texts_of
from autograder.sanitize import clean
from autograder.source import line_of

AROUND = 2  # lines shown before and after one with something to say
GAP = 3  # if fewer lines lie between two parts, they are shown, too
MOST = 600  # lines of a task


@dataclass(frozen=True)
class Mark:
    """A finding, or a remark, below its line."""

    kind: str  # "finding", "note", "remark"
    text: str
    more: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A line; number 0: lines were left out."""

    number: int = 0
    text: str = ""
    counters: Counters | None = None
    time: float = 0.0  # share of the task's kernel time, estimated
    marks: tuple[Mark, ...] = ()

    @property
    def instructions(self) -> tuple[int, ...]:
        return (self.counters.instructions,) if self.counters else ()

    @property
    def sectors(self) -> tuple[int, ...]:
        """Actual and ideal, or nothing."""
        c = self.counters
        actual = c.load_sectors + c.store_sectors if c else 0
        return (actual, min(actual, c.ideal_load_sectors + c.ideal_store_sectors)) if c and actual else ()

    @property
    def wavefronts(self) -> tuple[int, ...]:
        c = self.counters
        return (c.shared_wavefronts, c.ideal_wavefronts) if c and c.shared_wavefronts else ()

    @property
    def wasteful(self) -> tuple[bool, bool]:
        """Whether sectors, or wavefronts, are clearly more than they need be."""
        c = self.counters
        if c is None:
            return False, False
        ideal = c.ideal_load_sectors + c.ideal_store_sectors
        return (
            bool(ideal) and c.load_sectors + c.store_sectors > 1.5 * ideal,
            bool(c.ideal_wavefronts) and c.shared_wavefronts > 1.25 * c.ideal_wavefronts,
        )


@dataclass(frozen=True)
class File:
    """A part of the listing."""

    name: str
    rows: tuple[Row, ...]
    own: bool


def listing(task: TaskResult, sources: Sources) -> list[File]:
    """Everything that was counted and found, by file; the graded file first."""
    totals, shares = line_totals(task.kernels), time_shares(task.kernels)
    marks = _marks(task)
    places = [line.place for kernel in task.kernels for line in kernel.lines]
    places += [finding.place for finding in (*task.findings, *task.notes)]
    places += [finding.other_place for finding in task.findings]
    known = texts_of(places)
    files = []
    for file in in_order({file for file, _ in (*totals, *marks)}, sources.name):
        text = sources.lines(file, known.get(file, {}))
        numbers = {number for at, number in (*totals, *marks) if at == file and number}
        rows = []
        for number in _shown(numbers, len(text)):
            line = line_of(text, number, 240) if text else clean(known.get(file, {}).get(number, ""), 240)
            at = (file, number)
            rows.append(Row(number, line, totals.get(at), shares.get(at, 0.0), _all(marks.get(at), totals.get(at))))
        if rows:
            files.append(File(PurePath(clean(file, 300)).name, tuple(rows[:MOST]), sources.is_own(file)))
    return files


def _shown(numbers: set[int], length: int) -> list[int]:
    """Line numbers in order; 0 marks a gap. Without the text, no surrounding lines are shown."""
    wanted = {n for at in numbers for n in range(at - AROUND, at + AROUND + 1) if 1 <= n <= length} | numbers
    out: list[int] = []
    for number in sorted(wanted):
        if out and number > out[-1] + 1:
            between = range(out[-1] + 1, number)
            out += list(between) if length and len(between) <= GAP else [0]
        out.append(number)
    return out


def _all(marks: Sequence[Mark] | None, counters: Counters | None) -> tuple[Mark, ...]:
    return (*(marks or ()), *(Mark("remark", text) for text in (remarks(counters) if counters else ())))


def _marks(task: TaskResult) -> dict[tuple[str, int], list[Mark]]:
    marks: dict[tuple[str, int], list[Mark]] = defaultdict(list)
    for finding in (*task.findings, *task.notes):
        if finding.place.line:
            marks[(finding.place.file, finding.place.line)].append(_mark(finding, task.details))
    return marks


def _mark(finding: Finding, told: Sequence[str]) -> Mark:
    """The mark of a finding, with what was seen unless the task's explanation says it already."""
    more = tuple(clean(text, 400) for text in (finding.what, finding.help) if text)
    more = () if any(clean(finding.what, 400) in line for line in told) else more
    return Mark("note" if finding.is_note else "finding", finding_title(finding), more)


def time_shares(kernels: Sequence[KernelReport]) -> dict[tuple[str, int], float]:
    """Each kernel's modelled time, split over its lines by what limits it: an estimate that says where to look."""
    whole = sum(kernel.seconds for kernel in kernels) or 1.0
    shares: dict[tuple[str, int], float] = defaultdict(float)
    for kernel in kernels:
        weights = {
            (line.place.file, line.place.line): _weight(line.counters, kernel.limited_by) for line in kernel.lines
        }
        total = sum(weights.values())
        if not total:
            weights = {(line.place.file, line.place.line): line.counters.instructions for line in kernel.lines}
            total = sum(weights.values()) or 1
        for at, weight in weights.items():
            shares[at] += kernel.seconds / whole * weight / total
    return dict(shares)


def _weight(c: Counters, limit: str) -> int:
    if limit in ("dram", "l2"):
        return c.load_sectors + c.store_sectors + c.atomic_sectors + c.local_sectors
    if limit == "shared":
        return c.shared_wavefronts
    if limit == "lsu":
        return c.global_loads + c.global_stores + c.shared_loads + c.shared_stores + c.atomics
    if limit == "atomics":
        return c.atomic_lanes
    return c.instructions
