"""A class as rows: each person with submission and grading put together. All tables, reports and exports start here."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from autograder.plan.labs import find
from autograder.plan.manifest import load
from classes.overrides import Override, read_overrides
from classes.people import NOTHING, Submission
from classes.store import Grading, Store

ROOT = Path(__file__).resolve().parents[2]
ALIKE = Path("similarity") / "pairs.json"  # where `similarity` leaves its pairs for the other commands
STATUS = {
    "graded": "graded",
    "refused": "refused",
    "missing": NOTHING,
    "time": "took too long",
    "fault": "a fault of the grader or the machine",
    "waiting": "not graded yet",
}


@dataclass(frozen=True)
class Row:
    """One person's row. `points` is None, not 0, if nothing was graded."""

    submission: Submission
    grading: Grading | None
    similar: tuple[tuple[str, int], ...] = ()  # files that are like this one, by digest, with the share in %
    overrides: tuple[Override, ...] = ()  # what a person has changed
    worth: float | None = None  # the lab's points, where nothing was graded

    @property
    def key(self) -> str:
        return self.submission.person.key

    @property
    def status(self) -> str:
        if not self.submission.digest:
            return "missing" if self.submission.problem == NOTHING else "refused"
        return self.grading.outcome if self.grading else "waiting"

    @property
    def graded(self) -> float | None:
        """The points that the grader gave."""
        return self.grading.points if self.grading and self.status == "graded" else None

    @property
    def points(self) -> float | None:
        """The points that count."""
        for one in self.overrides:
            if not one.task:
                return one.points
        if not self.overrides:
            return self.graded
        were = {task["name"]: float(task["points"]) for task in self._graded_tasks}
        return round((self.graded or 0.0) + sum(one.points - were.get(one.task, 0.0) for one in self.overrides), 2)

    @property
    def of(self) -> float | None:
        """The most points that there are."""
        return self.grading.maximum if self.grading and self.grading.maximum else self.worth

    @cached_property
    def _graded_tasks(self) -> list[dict[str, Any]]:
        return list(self.grading.data.get("tasks", [])) if self.grading and self.status == "graded" else []

    @cached_property
    def tasks(self) -> list[dict[str, Any]]:
        """The tasks, if they were graded, with what the tables need and the points that count."""
        changed = {one.task: one.points for one in self.overrides}
        return [task | {"points": changed.get(task["name"], task["points"])} for task in self._graded_tasks]

    @property
    def why(self) -> str:
        """A line for those who have no points."""
        if self.submission.problem or self.status == "graded" or not self.grading:
            return self.submission.problem
        return self.grading.message


class Rows(Sequence[Row]):
    """All rows of a class, read from the database at each iteration, so that few are in memory."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._similar: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for one, other, share in _pairs(store.folder / ALIKE):
            self._similar[one].append((other, share))
        self.tasks = _tasks_of(store)
        self.overrides = read_overrides(store, (one.person for one in store.submissions()), self.tasks)

    def __len__(self) -> int:
        return self._store.count()

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, self._store.submissions())

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        chosen = range(len(self))[at]  # which raises IndexError, as a list does
        if isinstance(chosen, int):
            return self._row(next(self._store.submissions(chosen)))
        return [self[one] for one in chosen]

    def _row(self, one: Submission) -> Row:
        grading = self._store.current(one.digest) if one.digest else None
        similar, changed = tuple(self._similar.get(one.digest, ())), self.overrides.get(one.person.key, ())
        return Row(one, grading, similar, changed, sum(self.tasks.values()))


def rows_of(store: Store) -> Rows:
    return Rows(store)


def _pairs(path: Path) -> list[tuple[str, str, int]]:
    try:
        found: list[tuple[str, str, int]] = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return []
    return found


def _tasks_of(store: Store) -> dict[str, float]:
    """What the tasks are worth: as the last result says, or else the lab."""
    for one in store.submissions():
        grading = store.current(one.digest) if one.digest else None
        if grading and grading.outcome == "graded":
            return {task["name"]: float(task["of"]) for task in grading.data["tasks"]}
    lab = store.fact("lab", "")
    return {task.name: task.points for task in load(find(ROOT, lab)).task} if lab else {}


def equal_files(rows: Sequence[Row]) -> list[list[Row]]:
    """Different people whose files differ at most in white space; without groups and files with no task started."""
    count = Counter(hash(row.submission.alike) for row in rows if row.submission.digest)
    several = {alike for alike, number in count.items() if number > 1}
    same: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.submission.digest and hash(row.submission.alike) in several and begun(row):
            same[row.submission.alike].append(row)
    return [group for group in same.values() if len({row.submission.origin for row in group}) > 1]


def begun(row: Row) -> bool:
    """Whether any task was started, as far as it is known."""
    return row.status != "graded" or any(task["verdict"] != "SKIP" for task in row.tasks)
