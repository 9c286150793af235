"""A class in figures: by task, and its mistakes by cause, ready for the next lecture."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from autograder.explain.kinds import kind_title
from autograder.sanitize import clean
from autograder.verdict import RIGHT
from classes.student_results import Row, begun

AROUND = 2  # lines of an excerpt before and after the place
_LEAST = 8  # people: of fewer, a correlation says nothing


@dataclass
class OfTask:
    """One task, by those whose file compiles."""

    name: str
    of: float
    points: list[float] = field(default_factory=list)  # of those who have begun it
    full: int = 0
    failed: int = 0
    skipped: int = 0
    discrimination: float | None = None  # correlation of its points with those of the others; high: it separates

    @property
    def attempted(self) -> int:
        return len(self.points)

    @property
    def median(self) -> float | None:
        return statistics.median(self.points) if self.points else None


@dataclass
class Mistake:
    """The same mistake of several people."""

    task: str
    verdict: str
    cause: str
    people: list[str] = field(default_factory=list)
    where: str = ""  # of the first
    excerpt: tuple[tuple[int, str, bool], ...] = ()  # line, text, whether it is the one meant


def by_task(rows: Sequence[Row]) -> list[OfTask]:
    """In the lab's order."""
    found: dict[str, OfTask] = {}
    both: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in compiling(rows):
        total = sum(float(task["points"]) for task in row.tasks)
        for task in row.tasks:
            one = found.setdefault(task["name"], OfTask(task["name"], float(task["of"])))
            points = float(task["points"])
            both[task["name"]].append((points, total - points))
            if task["verdict"] == "SKIP":
                one.skipped += 1
                continue
            one.points.append(points)
            one.full += points >= one.of
            one.failed += task["verdict"] not in RIGHT
    for name, pairs in both.items():
        found[name].discrimination = _correlation(pairs)
    return list(found.values())


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < _LEAST:
        return None
    try:
        return statistics.correlation([one for one, _ in pairs], [rest for _, rest in pairs])
    except statistics.StatisticsError:  # everybody has the same points
        return None


def compiling(rows: Sequence[Row]) -> Iterator[Row]:
    """One at a time: a class may be large."""
    return (row for row in rows if row.tasks and not does_not_compile(row))


def does_not_compile(row: Row) -> bool:
    return bool(row.tasks) and all(task["verdict"] == "CE" for task in row.tasks)


def mistakes(rows: Sequence[Row], source: Callable[[str], str]) -> list[Mistake]:
    """By task and cause, the most frequent first. `source`: a graded file's text, by its digest."""
    found: dict[tuple[str, str, str], Mistake] = {}
    first: dict[tuple[str, str, str], str] = {}
    for row in compiling(rows):
        for task in row.tasks:
            if task["verdict"] in (*RIGHT, "SKIP", "IE"):
                continue
            key = (task["name"], task["verdict"], cause(task))
            one = found.setdefault(key, Mistake(*key))
            one.people.append(row.key)
            if not one.where and task["where"]:
                one.where, first[key] = task["where"], row.submission.digest
    for key, digest in first.items():
        found[key].excerpt = _excerpt(source(digest), found[key].where)
    return sorted(found.values(), key=lambda one: (-len(one.people), one.task))


def cause(task: dict[str, object]) -> str:
    """The same for everybody who made the same mistake: its kind, or the sentence without its numbers."""
    kind = kind_title(str(task.get("kind") or ""))
    reason = re.sub(r"\bn = \d[\d,.]*", "some n", clean(str(task["reason"]), 90))
    return kind or re.sub(r"\b\d[\d,.]*\b", "N", reason).replace("\n", " ")


def _excerpt(text: str, where: str) -> tuple[tuple[int, str, bool], ...]:
    found = re.search(r":(\d+)", where)
    lines = text.splitlines()
    at = int(found[1]) if found else 0
    if not 0 < at <= len(lines):
        return ()
    shown = range(max(1, at - AROUND), min(len(lines), at + AROUND) + 1)
    return tuple((number, clean(lines[number - 1], 160), number == at) for number in shown)


def not_begun(rows: Sequence[Row]) -> list[str]:
    """Who has handed in nothing, or a file with no task begun."""
    return [row.key for row in rows if row.status == "missing" or not begun(row)]
