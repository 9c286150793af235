"""What a student reads about a result, in plain text."""

from __future__ import annotations

from typing import Any

from autograder.sanitize import clean
from autograder.timing.evidence import evidence_in, evidence_text
from autograder.verdict import RIGHT
from classes.student_results import STATUS, Row


def told(task: dict[str, Any]) -> str:
    """What a student reads about a task: verdict, reason, where, details."""
    lines = [task["verdict"] + (f": {task['reason']}" if task.get("reason") else "")]
    lines += [f"at {task['where']}"] if task.get("where") else []
    lines += [str(line) for line in task.get("details", [])]
    lines += [f"again: {task['again']}"] if task.get("again") else []
    output = task.get("output") or {}
    if task["verdict"] in RIGHT and output.get("total"):
        lines.append(f"{output['right']} of {output['total']} calls right")
    time = task.get("time")
    if time:
        kind = "modelled" if time["modelled"] else "measured"
        lines.append(f"{time['ratio']:.2f} times the reference's speed ({kind})")
        shown = evidence_text(evidence_in(task))
        lines += [shown] if shown and shown not in str(task.get("reason", "")) else []
    return clean("\n".join(lines), 4000)


def feedback(row: Row) -> str:
    """One task after another, with the place of each failure; a compile error is given once."""
    lines = [f"{task['name']}: {_short(task)}" for task in row.tasks]
    if row.tasks and all(task["verdict"] == "CE" for task in row.tasks):
        lines = [f"does not compile: {_short(row.tasks[0])}"]
    lines = [one.said() for one in row.overrides] + lines
    return clean("; ".join(lines) or reason(row), 900)


def _short(task: dict[str, Any]) -> str:
    where = task.get("where") if task["verdict"] != "SKIP" else ""
    return told(task).splitlines()[0] + (f" at {where}" if where else "")


def reason(row: Row) -> str:
    """Why somebody has no grade; "" for those who have one."""
    return row.why or ("" if row.status == "graded" else STATUS[row.status])


def grade(row: Row) -> str:
    """17.5 of 20, or that there is none."""
    return f"{row.points:g} of {row.of:g}" if row.points is not None and row.of else "no grade"
