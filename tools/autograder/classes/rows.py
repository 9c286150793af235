"""A class as rows: each person with submission and grading put together. All tables, reports and exports start here."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

from autograder.classes.people import NOTHING, Submission
from autograder.classes.store import Grading, Store

_PAIRS = 20  # listed among those who need a person; the page of `similarity` has more
ALIKE = "alike"  # the fact in which `similarity` keeps its pairs
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

    @property
    def key(self) -> str:
        return self.submission.person.key

    @property
    def status(self) -> str:
        if not self.submission.digest:
            return "missing" if self.submission.problem == NOTHING else "refused"
        return self.grading.outcome if self.grading else "waiting"

    @property
    def points(self) -> float | None:
        return self.grading.points if self.grading and self.status == "graded" else None

    @cached_property
    def tasks(self) -> list[dict[str, Any]]:
        """The tasks, if they were graded, with what the tables need."""
        return list(self.grading.data.get("tasks", [])) if self.grading and self.status == "graded" else []

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
        for one, other, share in json.loads(store.fact(ALIKE, "[]")):
            self._similar[one].append((other, share))

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
        return Row(one, grading, similar=tuple(self._similar.get(one.digest, ())))


def rows_of(store: Store) -> Rows:
    return Rows(store)


def equal_files(rows: Sequence[Row]) -> list[list[Row]]:
    """Different people whose files differ at most in white space; without groups and files with no task started."""
    count = Counter(hash(row.submission.alike) for row in rows if row.submission.digest)
    several = {alike for alike, number in count.items() if number > 1}
    same: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.submission.digest and hash(row.submission.alike) in several and _begun(row):
            same[row.submission.alike].append(row)
    return [group for group in same.values() if len({row.submission.origin for row in group}) > 1]


def _begun(row: Row) -> bool:
    return row.status != "graded" or any(task["verdict"] != "SKIP" for task in row.tasks)


def attention(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Who needs a person, and why."""
    found = []
    for row in rows:
        whys = []
        if row.status in ("refused", "time", "fault"):
            whys.append(f"{STATUS[row.status]}: {row.why}")
        if row.tasks and row.grading and _breaks_rules(row.grading.data):
            whys.append(f"uses what is not allowed: {row.tasks[0]['reason']}")
        if not row.submission.person.known:
            whys += [note for note in row.submission.notes if "roster" in note]
        if whys:
            found.append((row.key, "; ".join(whys)))
    for group in equal_files(rows):
        others = ", ".join(row.key for row in group[1:])
        found.append((group[0].key, f"handed in the same file as {others}"))
    found += _similar(rows)
    return found


def _similar(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Pairs that `similarity` has found, except files of one group. Equal files count as one."""
    people: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        people[row.submission.digest].append(row)
    found = [
        (f"{_and_equal(mine)}, {_and_equal(people[digest])}", share)
        for mine in people.values()
        for digest, share in mine[0].similar
        if digest in people
        and {one.submission.origin for one in (*mine, *people[digest])} != {mine[0].submission.origin}
    ]
    found.sort(key=lambda pair: -pair[1])
    said = [(who, f"{share} % of one file is in the other: similarity/index.html") for who, share in found[:_PAIRS]]
    more = len(found) - len(said)
    return said + ([(f"{more} more pairs", "similar: similarity/index.html")] if more else [])


def _and_equal(people: Sequence[Row]) -> str:
    return people[0].key + (f" and {len(people) - 1} equal" if len(people) > 1 else "")


def _breaks_rules(result: dict[str, Any]) -> bool:
    """CE without a compiler message: a rule of the lab was broken, not one of C++."""
    return not result.get("compiler") and all(task["verdict"] == "CE" for task in result["tasks"])
