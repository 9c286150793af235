"""The table of a lab's tasks: output, checks, time and points, a row for each."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from autograder.report.result import Result, TaskResult
from autograder.timing.evidence import ticks

COLOURS = {"AC": "green", "SLOW": "yellow", "SKIP": "dim", "CHECK": "magenta", "IE": "bold red"}
SPEED = "speed, of reference"


def untimed(task: TaskResult) -> bool:
    """Whether a task is right, but has no points for time because no time was measured."""
    return task.verdict == "AC" and task.time is None and task.points < task.of and not task.evidence


def fitting(out: Console, result: Result) -> Table:
    """The table. On a narrow terminal it has less padding, no notes on the right, or a shorter header."""
    shapes = ((True, 2, SPEED), (True, 1, SPEED), (False, 2, SPEED), (False, 1, SPEED), (False, 1, "speed"))
    tables = [table_of(result, *shape) for shape in shapes]
    wide = out.options.update(max_width=500)
    fitting = (table for table in tables if Measurement.get(out, wide, table).maximum <= out.width)
    return next(fitting, tables[-1])


def table_of(result: Result, notes: bool = True, gap: int = 2, speed: str = SPEED) -> Table:
    table = Table(box=None, padding=(0, gap), pad_edge=True, header_style="dim")
    for name in ("task", "output", "checks", speed):
        table.add_column(name, no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for task in result.tasks:
        note = Text(task.reason if task.verdict == "SKIP" and notes else "", "dim")
        table.add_row(escape(task.name) + ("" if task.core else " [dim](bonus)[/]"), *cells(task), note)
    table.add_row("[bold]total[/]", "", "", "", f"[bold]{result.points:g} / {result.of:g}[/]", "")
    return table


def cells(task: TaskResult) -> list[Text]:
    """Output, checks, time and points of one task."""
    return [
        Text(output_of(task), COLOURS.get(output_of(task).split()[0], "red")),
        Text(checks_of(task), "magenta" if task.clean is False else "green" if task.clean else "dim"),
        Text(time_of(task), "yellow" if task.time and task.points < task.of else ""),
        Text(f"{task.points:g} / {task.of:g}"),
    ]


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
