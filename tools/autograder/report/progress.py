"""How far the tasks are, while they are graded: a bar for each, and its result in its place as soon as there is one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Console
from rich.progress import Progress, ProgressColumn, Task, TaskID
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from autograder.report.fold import PIPED, console
from autograder.report.result import TaskResult
from autograder.report.table import MOST_WORDS, Shape

NAME, BAR = 18, 30
OUTPUT, TIME, POINTS = 11, 14, 9  # characters of the columns; the reason of a failure takes more where there is room
LEAST_TIME = 5
WIDE = 60  # with less room, the columns are narrower


class Tasks:
    """Told of the tasks of one run; shows nothing."""

    def begin(self, tasks: Sequence[str]) -> None:
        """The tasks that are to come, in the order of the ladder."""

    def __call__(self, task: str, part: float) -> None:
        """How far a task is, from 0 to 1."""

    def finished(self, task: TaskResult) -> None:
        """A task has its result; the others continue."""


class _Lines(Tasks):
    """A line for each task on a terminal."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._known: dict[str, TaskID] = {}

    def begin(self, tasks: Sequence[str]) -> None:
        for task in tasks:
            self(task, 0.0)

    def __call__(self, task: str, part: float) -> None:
        if task not in self._known:
            self._known[task] = self._bars.add_task(task, total=1.0, result=None)
        self._bars.update(self._known[task], completed=part)

    def finished(self, task: TaskResult) -> None:
        self(task.name, 1.0)
        self._bars.update(self._known[task.name], result=task)
        self._bars.refresh()


class _State(ProgressColumn):
    """A bar, or the result."""

    max_refresh = None

    def __init__(self, width: int) -> None:
        super().__init__()
        self._width = width

    def render(self, task: Task) -> Table | Text:
        result: TaskResult | None = task.fields["result"]
        if result is not None:
            return line(result, self._width)
        row = Table.grid(padding=(0, 1))
        row.add_row(ProgressBar(1.0, task.completed, width=BAR), f"{task.percentage:3.0f} %")
        return row


class _Name(ProgressColumn):
    max_refresh = None

    def render(self, task: Task) -> Text:
        return Text(f"  {task.description:<{NAME}}", no_wrap=True)


def line(task: TaskResult, width: int = PIPED) -> Text:
    """A task's result on one line of this width: as its row in the table, without its name."""
    wide = width >= WIDE
    shape = Shape(0, OUTPUT if wide else 8, TIME, POINTS if wide else 7, 2 if wide else 1)
    spare = width - (shape.output + shape.reason + shape.points + 2 * shape.gap)
    return replace(shape, time=max(LEAST_TIME, min(TIME + spare, MOST_WORDS))).line(task)


@contextlib.contextmanager
def task_lines(out: Console | None = None) -> Iterator[Tasks]:
    """A line for each task on stderr, until all are finished; on a terminal only."""
    people = out or console(stderr=True)
    if not people.is_terminal:
        yield Tasks()
        return
    with Progress(_Name(), _State(people.width - NAME - 4), console=people, transient=True) as bars:
        yield _Lines(bars)
