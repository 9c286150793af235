"""./grader compare: what the reference does differently in a task that is right. One idea at a time."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograder.errors import GraderError, UsageError
from autograder.plan.labs import has_solution, suggest
from autograder.plan.manifest import load
from autograder.plan.request import Request
from autograder.report.fold import Line, fold
from autograder.report.progress import Tasks
from autograder.report.result import TaskResult
from autograder.run.protocol import KernelReport
from autograder.sanitize import clean
from autograder.session import grade
from autograder.source import lines_of, text_of
from autograder.timing.measure import seconds
from autograder.timing.speed import by_name
from autograder.verdict import MEANING
from learn.ideas import Work, ideas, work_of

MOST_KERNELS = 8
ROWS = ("time", "launches", "threads", "instructions", "requests", "sectors", "wavefronts", "atomics")


@dataclass(frozen=True)
class Differences:
    """A student's task compared with the reference."""

    lab: int
    name: str
    mine: TaskResult
    theirs: TaskResult
    says: str  # the reference's own sentence
    where: str  # the reference's file

    def show(self, out: Console, number: int) -> None:
        """The counters, and the first ideas: as many as the number says."""
        said = ideas(work_of(self.mine), work_of(self.theirs))
        said += [f"the reference in its own words: {self.says} ({self.where})"] if self.says else []
        if said and number > len(said):
            raise UsageError(f"idea {number}: {self.name} has {len(said)}")
        time = self.mine.time
        call = f"n = {time.n:,}" + (f", {time.variant}" if time.variant else "") if time else ""
        fold(out, Line(Text.assemble((self.name, "bold"), f": yours and the reference's    {call}"), "", 2))
        out.print(_table(self.mine, self.theirs, out.width))
        if not said:
            fold(out, "no counter differs by 5 % or more: both do the same work")
            return
        for at, idea in enumerate(said[:number], 1):
            fold(out, Line(idea, f"  {at} of {len(said)}: ", 4))
        if number < len(said):
            fold(out, Line(f"the next idea: ./grader compare {self.lab} {self.name} {number + 1}", style="dim"))


def compare(root: Path, lab: Path, task: str, device: str, sandbox: bool, lines: Tasks) -> Differences:
    """Grades the task, and then the reference's with the same input. Refuses while the task is not right."""
    manifest = load(lab)
    names = [entry.name for entry in manifest.task]
    if task not in names:
        raise UsageError(f"lab {manifest.number} has no task {task!r}{suggest(task, names)}")
    lesson = root / "solutions" / lab.name / f"{task}.cu"
    if not lesson.parent.is_dir():
        raise UsageError(f"solutions/{lab.name} is not here, so there is nothing to compare with")
    request = Request(lab, tasks=(task,), device=device or "virtual", sandbox=sandbox)  # only it has counters
    mine, _ = grade(root, request, lines, lines.begin, lines.finished)
    own = mine.tasks[0]
    if own.verdict == "IE":
        raise GraderError(own.reason)
    if own.verdict != "AC":
        where = f", {own.where}" if own.where else ""
        raise UsageError(
            f"compare is for tasks that are right: {task} is {own.verdict} ({MEANING[own.verdict]}{where});"
            f" ./grader {manifest.number} --task {task} says more"
        )
    known = Request(lab, solution=True, tasks=(task,), device=request.device, sandbox=sandbox, seed=int(mine.seed, 16))
    theirs, _ = grade(root, known)
    other = theirs.tasks[0]
    if other.verdict != "AC":
        raise GraderError(f"the reference's {task} is {other.verdict}: {other.reason}")
    if not own.kernels or not other.kernels:
        raise UsageError("only the virtual GPU counts: leave out --device, or say --device virtual")
    says = sentence(lesson) if has_solution(root, lab.name) else ""  # a compiled reference has counters but no sentence
    return Differences(manifest.number, task, own, other, says, str(lesson.relative_to(root)))


def sentence(lesson: Path) -> str:
    """The comment at the head of a lesson: what changed from the one before. "" if there is none."""
    words = []
    for line in lines_of(text_of(lesson)):
        if not line.startswith("//"):
            break
        words.append(line.removeprefix("//").strip())
    return clean(re.sub(r"^Task \d+, \w+: ", "", " ".join(words)), 600)


def _table(mine: TaskResult, theirs: TaskResult, width: int) -> Table:
    gap, longest = (2, 28) if width >= 100 else (1, max(12, (width - 28) // 2))  # of a kernel's name
    table = Table(box=None, padding=(0, gap), pad_edge=True, header_style="dim")
    table.add_column("", no_wrap=True)
    for name in ("yours", "reference", "ratio"):
        table.add_column(name, justify="right", no_wrap=True)
    pairs = list(itertools.zip_longest(*(list(by_name(task.kernels).items()) for task in (mine, theirs))))
    for left, right in pairs[:MOST_KERNELS]:
        names = [escape(clean(_short(one[0]), longest)) if one else "-" for one in (left, right)]
        table.add_row("[bold]kernel[/]", *(f"[bold]{name}[/]" for name in names), "")
        mine_here, theirs_here = (work_of_kernels(one[1]) if one else None for one in (left, right))
        _rows(table, mine_here, theirs_here)
    if len(pairs) > MOST_KERNELS:
        table.add_row(f"… {len(pairs) - MOST_KERNELS} more", "", "", "")
    table.add_row("[bold]the whole call[/]", "", "", "")
    _rows(table, work_of(mine), work_of(theirs), only=("time",) if len(pairs) == 1 else ROWS)
    return table


def work_of_kernels(kernels: Sequence[KernelReport]) -> Work:
    return Work.of(kernels, sum(kernel.seconds for kernel in kernels))


def _rows(table: Table, mine: Work | None, theirs: Work | None, only: Sequence[str] = ROWS) -> None:
    both = [one for one in (mine, theirs) if one]
    for name in only:
        values = [getattr(one, name) if one else None for one in (mine, theirs)]
        if not any(values) or (name == "threads" and any(one.launches > 1 for one in both)):
            continue
        cells = ["-" if value is None else seconds(value) if name == "time" else f"{value:,}" for value in values]
        a, b = values
        table.add_row(f"  {name}", *cells, f"{a / b:.2f}" if a and b else "")


def _short(name: str) -> str:
    """A kernel's name without parameters and what a compiler adds."""
    return re.sub(r"\(.*$", "", name.replace("(anonymous namespace)::", "")).removeprefix("void ")
