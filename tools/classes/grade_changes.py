"""What an instructor reads after grading again: which grades changed, and why."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from classes import private_results
from classes.store import Store
from classes.student_results import Row
from classes.summary import line_of


def show_changes(people: Console, store: Store, pairs: Iterable[tuple[Row, Row]], *, of_named: bool) -> None:
    """`pairs`: before and after. Of people who were named, grades that did not change are shown, too."""
    number, changed, same = 0, list[str](), list[str]()
    for old, new in pairs:
        number += 1
        line = line_of(new, private_results.failed(store, new.grading))
        if (old.points, old.status) == (new.points, new.status):
            same += [f"  as before: {line}"] if of_named else []
        else:
            changed.append(f"  {_grade_of(old)} → {line}   {', '.join(_tasks(old, new))}")
    if number:
        people.print(Text(f"\n  {len(changed)} of {number} grades changed"))
    elif not of_named:
        people.print(Text("\n  every grade stays: none is of an older version of grader, lab or private cases"))
    for said in [*changed, *same]:
        people.print(Text(said), soft_wrap=True)


def _grade_of(row: Row) -> str:
    return row.status if row.points is None else f"{row.points:g}"


def _tasks(old: Row, new: Row) -> list[str]:
    """The tasks whose points changed."""
    was = {task["name"]: task for task in old.tasks}
    pairs = [(was[task["name"]], task) for task in new.tasks if task["name"] in was]
    return [f"{task['name']} {before['verdict']} {before['points']:g} → {task['verdict']} {task['points']:g}"
            for before, task in pairs if before["points"] != task["points"]]  # fmt: skip
