"""Grades that a person has changed: results/overrides.csv, which every command reads, and the list for audits.

    person,task,points,reason
    ada,naive,8,"regraded by hand: the barrier is there"
    bob,,50,"hardship: half of the points"          an empty task: all points of the lab

The grader never writes this file. What it has read is kept in the class's database, also after a line is gone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from autograder.errors import UsageError
from autograder.sanitize import clean
from classes.platform_table import Given, number, plain, read_table
from classes.roster import Person
from classes.store import Store
from classes.submitted_files import shown

FILE = "overrides.csv"
HEADING = ("person", "task", "points", "reason")
AUDIT = "audit"  # the fact with all that was ever read


@dataclass(frozen=True)
class Override:
    """One line. `task`: "" for the whole lab."""

    person: str  # the key
    task: str
    points: float
    reason: str
    line: int = 0

    def said(self) -> str:
        return f"changed by hand: {self.task or 'all'} {self.points:g} points: {self.reason}"


def read_overrides(
    store: Store, people: Iterable[Person], tasks: Mapping[str, float]
) -> dict[str, tuple[Override, ...]]:
    """By person. `tasks`: the lab's, with what each is worth. Raises UsageError for a line that cannot be meant."""
    path = store.folder / FILE
    if not path.is_file():
        return {}
    table = read_table(path, FILE)
    at = _columns(table)
    named: dict[str, set[str]] = {}
    for person in people:
        for word in {person.key, person.name, person.fields.get("email", ""), person.fields.get("sid", "")} - {""}:
            named.setdefault(word.casefold(), set()).add(person.key)
    found: dict[tuple[str, str], Override] = {}
    for line, row in zip(table.lines, table.rows, strict=True):
        one = _override([row[column].strip() for column in at], named, tasks, f"{path}: line {line}", line)
        for other in found.values():
            if other.person == one.person and (other.task == one.task or "" in (other.task, one.task)):
                raise UsageError(
                    f"{path}: lines {other.line} and {line} both change {one.task or 'all'} of {one.person}"
                )
        found[one.person, one.task] = one
    result: dict[str, tuple[Override, ...]] = {}
    for one in found.values():
        result[one.person] = (*result.get(one.person, ()), one)
    return result


def _columns(table: Given) -> list[int]:
    names = [plain(name) for name in table.heading]
    missing = [name for name in HEADING if name not in names]
    if missing:
        raise UsageError(f"{FILE}: its first line must be {','.join(HEADING)}; it lacks {', '.join(missing)}")
    return [names.index(name) for name in HEADING]


def _override(
    cells: Sequence[str], named: Mapping[str, set[str]], tasks: Mapping[str, float], where: str, line: int
) -> Override:
    who, task, text, reason = cells
    people = named.get(who.casefold(), set())
    if len(people) != 1:
        raise UsageError(f"{where}: {'several people are' if people else 'nobody is'} called {shown(who)!r}")
    task = "" if task.casefold() in ("all", "total") else task
    if task and task not in tasks:
        raise UsageError(f"{where}: no task is called {shown(task)!r}; there are {', '.join(tasks)}")
    points, most = number(text), tasks[task] if task else sum(tasks.values())
    if points is None or points > most:
        raise UsageError(f"{where}: points {shown(text)!r}: a number from 0 to {most:g} is expected")
    if not reason:
        raise UsageError(f"{where}: say why, under reason; {shown(who)} reads it")
    return Override(next(iter(people)), task, points, clean(reason, 500).replace("\n", " "), line)


def note_for_audits(store: Store, overrides: Mapping[str, Sequence[Override]], graded: Mapping[str, object]) -> None:
    """Keeps what is new and what is gone, with the time. `graded`: by person, the points that the grader gave."""
    before = json.loads(store.fact(AUDIT, "[]"))
    known = [dict(one) for one in before]
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    current = {(one.person, one.task, one.points, one.reason) for group in overrides.values() for one in group}
    for one in known:
        key = (one["person"], one["task"], one["points"], one["reason"])
        if not one["until"]:
            if key not in current:
                one["until"] = now
            current.discard(key)
    for person, task, points, reason in sorted(current):
        known.append({
            "person": person, "task": task, "graded": graded.get(person), "points": points, "reason": reason,
            "since": now, "until": "",
        })  # fmt: skip
    if known != before:
        store.set_fact(AUDIT, json.dumps(known))


def audit(store: Store) -> list[dict[str, object]]:
    """Every change by hand that there has ever been, the oldest first."""
    found: list[dict[str, object]] = json.loads(store.fact(AUDIT, "[]"))
    return found
