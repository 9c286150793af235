"""The page of one result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath

from autograder.page import charts
from autograder.page.page import render
from autograder.page.sources import Sources, of_lab
from autograder.page.tasks import tally, view
from autograder.report.result import Result
from autograder.timing.measure import FULL_SPEED


@dataclass(frozen=True)
class Person:
    """Whose result it is, for a page of a class."""

    name: str
    lines: tuple[str, ...] = ()  # file, late, remarks


def report(result: Result, root: Path, own: Path | None, person: Person | None = None) -> bytes:
    """`own`: the graded file, whose lines are shown if it is still what it was."""
    solution = result.source == "solution"
    name = result.lab.file if result.source in ("lab", "solution") else PurePath(result.source).name
    sources = Sources(name, None if solution else own, of_lab(root, result.lab.folder, solution))
    tasks = [view(task, sources, number) for number, task in enumerate(result.tasks, 1)]
    return render(
        "report.html",
        {
            "result": result,
            "tasks": tasks,
            "begun": [one for one in tasks if one.task.verdict != "SKIP"],
            "waiting": [one for one in tasks if one.task.verdict == "SKIP"],
            "tally": tally(tasks),
            "ladder": charts.ladder(result),
            "points": charts.share_bar(result.points / result.of if result.of else 0.0, "good"),
            "bar": charts.share_bar,
            "stale": sources.stale,
            "full": 1 / FULL_SPEED,
            "what": {"lab": name, "solution": "the reference solution"}.get(result.source, name),
            "person": person,
            "compiled": not result.compiler,
        },
        script="lanes.js" if any(one.lanes and one.lanes.count > 1 for one in tasks) else "",
    )
