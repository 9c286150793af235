"""The table of a lab's tasks: output, checks, time and points, a row for each; of a failed one, why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from autograder.report.result import TaskResult
from autograder.report.row_reason import wordings
from autograder.timing.evidence import ticks
from autograder.verdict import COLOURS

CHECKED = 6  # characters of the longest check
MOST_WORDS = 44  # characters of a reason: the column of points is not moved further away


def untimed(task: TaskResult) -> bool:
    """Whether a task is right, but has no points for time because no time was measured."""
    return task.verdict == "AC" and task.time is None and task.points < task.of and not task.evidence


@dataclass(frozen=True)
class Shape:
    """Widths of the columns, and the space between two of them."""

    name: int
    output: int
    time: int  # the reason of a task that failed takes the columns of checks and time
    points: int
    gap: int = 2
    head: str = "speed, of reference"

    @property
    def width(self) -> int:
        return 2 + self.name + self.output + CHECKED + self.time + self.points + 4 * self.gap

    @property
    def reason(self) -> int:
        return CHECKED + self.gap + self.time

    def row(self, task: TaskResult) -> Text:
        return self._row(Text(task.name).append("" if task.core else " (bonus)", "dim"), *self._cells(task))

    def line(self, task: TaskResult) -> Text:
        """A task's row without its name."""
        return self._joined(*self._cells(task))

    def _cells(self, task: TaskResult) -> tuple[Text, Text, Text]:
        """Output; checks and time, or why it failed; points."""
        output = Text(output_of(task), _colour(task))
        points = Text(f"{task.points:g} / {task.of:g}")
        checks = Text(checks_of(task), "magenta" if task.clean is False else "green" if task.clean else "dim")
        between = " " * self.gap
        if task.time or task.verdict == "AC":
            checks.pad_right(CHECKED - len(checks))
            return output, checks.append(between).append(time_of(task), _of_time(task)), points
        start = Text()
        if task.clean is False:
            start = checks.append(" " * (CHECKED - len(checks))).append(between)
        why = next((one for one in wordings(task)[::-1] if len(one) <= self.reason - len(start)), "")
        return output, start.append(why, "dim" if task.verdict == "SKIP" else ""), points

    def _row(self, name: Text, output: Text, middle: Text, points: Text) -> Text:
        name.pad_right(max(0, self.name - len(name)) + self.gap)
        return (
            Text("  ", no_wrap=True, overflow="ignore")
            .append_text(name)
            .append_text(self._joined(output, middle, points))
        )

    def _joined(self, output: Text, middle: Text, points: Text) -> Text:
        output.pad_right(max(0, self.output - len(output)) + self.gap)
        middle.pad_right(max(0, self.reason - len(middle)) + self.gap)
        points.pad_left(max(0, self.points - len(points)))
        return Text(no_wrap=True, overflow="ignore").append_text(output).append_text(middle).append_text(points)

    def heading(self) -> Text:
        middle = Text("checks".ljust(CHECKED) + " " * self.gap + self.head)
        row = self._row(Text("task"), Text("output"), middle, Text("points"))
        row.stylize("dim")
        return row

    def total(self, points: float, of: float) -> Text:
        return self._row(Text("total", "bold"), Text(), Text(), Text(f"{points:g} / {of:g}", "bold"))


def fitting(tasks: Sequence[TaskResult], total: str, width: int) -> Shape:
    """The shape of a table of so many characters: with a shorter head or less space if need be."""
    name = max(5, *(len(task.name) + (0 if task.core else len(" (bonus)")) for task in tasks))
    output = max(6, *(len(output_of(task)) for task in tasks))
    points = max(6, len(total), *(len(f"{task.points:g} / {task.of:g}") for task in tasks))
    time = max(len(time_of(task)) for task in tasks)
    made = [
        Shape(name, output, max(time, len(head)), points, gap, head)
        for head, gap in (("speed, of reference", 2), ("speed", 2), ("speed", 1))
    ]
    shape = next((one for one in made if one.width <= width), made[-1])
    wanted = max((len(one) for task in tasks for one in wordings(task) if len(one) <= MOST_WORDS), default=0)
    checked = CHECKED + shape.gap if any(task.clean is False for task in tasks) else 0
    more = min(max(0, width - shape.width), max(0, wanted + checked - shape.reason))
    return Shape(name, output, shape.time + more, points, shape.gap, shape.head)


def rows(tasks: Sequence[TaskResult], points: float, of: float, width: int) -> list[Text]:
    """The table. Where it does not fit, a task has two rows: its name, and below it all else."""
    if not tasks:
        return []
    shape = fitting(tasks, f"{points:g} / {of:g}", width)
    if shape.width <= width:
        return [shape.heading(), *map(shape.row, tasks), shape.total(points, of)]
    made = []
    for task in tasks:
        made.append(Text(f"  {task.name}").append("" if task.core else " (bonus)", "dim"))
        made.append(Text("    ", no_wrap=True, overflow="ignore").append_text(shape.line(task)))
    return [*made, Text(f"  total  {points:g} / {of:g}", "bold")]


def output_of(task: TaskResult) -> str:
    right = f" {task.output.right}/{task.output.total}"
    if task.verdict in ("AC", "SLOW", "CHECK"):
        return "AC" + right
    return task.verdict + (right if task.output.total and task.verdict not in ("SKIP", "IE", "CE") else "")


def checks_of(task: TaskResult) -> str:
    if task.verdict in ("AC", "SLOW", "CHECK") and task.clean is not None:
        return "clean" if task.clean else "CHECK"
    return "-"


def time_of(task: TaskResult) -> str:
    if task.time is None:
        return "-"
    noisy = f" ({task.time.low:.2f} to {task.time.high:.2f})" if task.time.noisy else ""
    shown = f" {ticks(task.evidence)}" if task.evidence else ""
    return f"{task.time.ratio:.2f}x{noisy}" + (" SLOW" if task.verdict == "SLOW" else "") + shown


def _colour(task: TaskResult) -> str:
    return COLOURS.get("AC" if task.verdict == "CHECK" else task.verdict, "red")


def _of_time(task: TaskResult) -> str:
    return "yellow" if task.time and task.points < task.of else ""
