"""How far the tasks are, while they are graded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.progress import BarColumn, Progress, TaskID, TextColumn

from autograder.report.terminal import console


@contextlib.contextmanager
def progress_bars() -> Iterator[Callable[[str, float], None]]:
    """A bar for each task on stderr, on a terminal only."""
    people = console(stderr=True)
    if not people.is_terminal:
        yield lambda task, part: None
        return
    columns = (TextColumn("  {task.description:<18}"), BarColumn(30), TextColumn("{task.percentage:3.0f} %"))
    with Progress(*columns, console=people, transient=True) as bars:
        known: dict[str, TaskID] = {}

        def progress(task: str, part: float) -> None:
            if task not in known:
                known[task] = bars.add_task(task, total=1.0)
            bars.update(known[task], completed=part)

        yield progress
