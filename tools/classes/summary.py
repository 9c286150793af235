"""What an instructor reads in the terminal: a line for each result, and a summary of the class at the end."""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from autograder.sanitize import clean
from autograder.verdict import RIGHT
from classes.needs_person import attention
from classes.statistics import by_task, does_not_compile, not_begun
from classes.student_results import STATUS, Row

_NAME = 28  # columns
_NAMED = 20  # people in one line
_TOGETHER = 4  # people who need attention for the same reason share a line


def _fitted(name: str) -> str:
    """The name in a fixed number of columns; letters of some scripts take two."""
    cut = name if cell_len(name) <= _NAME else set_cell_size(name, _NAME - 1) + "…"
    return set_cell_size(cut, _NAME)


def line_of(row: Row, private: Mapping[str, str] | None = None) -> str:
    """One result. `private`: by task, the verdict of the course's private cases, where they cost points."""
    private = private or {}
    points = f"{row.points:g} / {row.of or 0:g}" if row.points is not None else row.status
    failed = [task for task in row.tasks if task["verdict"] not in (*RIGHT, "SKIP") or task["name"] in private]
    skipped = sum(task["verdict"] == "SKIP" for task in row.tasks)
    slow = sum(task["verdict"] == "SLOW" for task in row.tasks if task not in failed)
    if failed and all(task["verdict"] == "CE" for task in failed):
        said = [f"CE {failed[0]['where']} {failed[0]['reason']}".replace("  ", " ")]
    else:
        said = [f"{task['name']} {_why(task, private)}".strip() for task in failed[:3]]
        said += [f"{len(failed) - 3} more"] if len(failed) > 3 else []
        said += [f"{slow} slow"] if slow else []
        said += [f"{skipped} not started"] if skipped else []
    seconds = f"{row.grading.seconds:5.0f} s" if row.grading else ""
    said += ["late"] if row.submission.late else []
    said += ["changed by hand"] if row.overrides else []
    text = ", ".join(said) or (row.why if row.status != "graded" else "")
    return clean(f"{_fitted(row.key)}  {points:>12}  {seconds:>7}   {text}", 300).replace("\n", " ")


def _why(task: dict[str, Any], private: Mapping[str, str]) -> str:
    if task["name"] in private:
        return f"{private[task['name']]} in private cases"
    return f"{task['verdict']} {task['where']}"


class Progress:
    """How far the class is; the line at the bottom is there on a terminal only."""

    def __init__(self, out: Console, files: int) -> None:
        self._out, self._left, self._files, self._at = out, files, files, ""
        self._start = time.monotonic()

    def done(self, rows: Sequence[Row], private: Mapping[str, str]) -> None:
        """One file, and everybody who has handed it in."""
        self._left -= 1
        for row in rows:
            self.say(f"  {self.where():<9}{line_of(row, private)}")

    def say(self, line: str) -> None:
        """A line that stays, above the one at the bottom."""
        if sys.stdout.isatty():
            print("\x1b[K", end="", flush=True)  # clears the line at the bottom
        self._out.print(Text(line), soft_wrap=True)
        self.show()

    def where(self) -> str:
        return f"{self._files - self._left}/{self._files}"

    def show(self, at: str = "") -> None:
        """`at`: where, and how many at a time."""
        self._at = at or self._at
        if self._left and sys.stdout.isatty():
            print(f"  {self.line()}", end="\x1b[K\r", flush=True)

    def line(self) -> str:
        done = self._files - self._left
        if not done:
            return f"{done} of {self._files} · {self._at}"
        left = (time.monotonic() - self._start) / done * self._left
        return f"{done} of {self._files} · {self._at} · about {duration(left)} left"


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def show_summary(out: Console, rows: Sequence[Row], folder: Path, seconds: float) -> None:
    """The class in figures, lateness, who needs a person, what it took; report.html has the mistakes by cause."""
    count = Counter(row.status for row in rows)
    said = " · ".join(f"{count[name]} {text}" for name, text in STATUS.items() if count[name])
    out.print(Text(f"\n  {len(rows)} people: {said}"), soft_wrap=True)
    _points(out, rows)
    _tasks(out, rows)
    _lateness(out, rows)
    _attention(out, rows)
    _cost(out, rows, folder, seconds)


def _points(out: Console, rows: Sequence[Row]) -> None:
    shares = [100 * row.points / row.of for row in rows if row.points is not None and row.of]
    if shares:
        middle, full = statistics.median(shares), sum(share == 100 for share in shares)
        said = f"  median {middle:.1f} %, mean {statistics.fmean(shares):.1f} %, full marks: {full}"
        out.print(Text(said))


def _tasks(out: Console, rows: Sequence[Row]) -> None:
    for one in by_task(rows):
        counts = ((one.full, "with full marks"), (one.failed, "failed"), (one.skipped, "not started"))
        said = " · ".join(f"{number} {what}" for number, what in counts if number)
        out.print(Text(f"    {clean(one.name, 40):<20} {said}"), soft_wrap=True)
    broken = [row.key for row in rows if does_not_compile(row)]
    if broken:
        said = "file does not compile, or uses" if len(broken) == 1 else "files do not compile, or use"
        text = f"\n  {len(broken)} {said} what is not allowed: {_named(broken)}"
        out.print(Text(clean(text, 2000)), soft_wrap=True)
    if idle := not_begun(rows):
        said = "has" if len(idle) == 1 else "have"
        out.print(Text(clean(f"\n  {len(idle)} {said} not begun: {_named(idle)}", 2000)), soft_wrap=True)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _lateness(out: Console, rows: Sequence[Row]) -> None:
    late = [row.key for row in rows if row.submission.late]
    changed = [row.key for row in rows if row.overrides]
    for names, said in ((late, "handed in late, which changes no points here"), (changed, "changed by hand")):
        if names:
            out.print(Text(clean(f"\n  {len(names)} {said}: {_named(names)}", 2000)), soft_wrap=True)


def _attention(out: Console, rows: Sequence[Row]) -> None:
    found = attention(rows)
    need = "1 needs" if len(found) == 1 else f"{len(found)} need"
    out.print(Text(f"\n  {need} a person" if found else "\n  nothing needs a person"))
    whose: dict[str, list[str]] = defaultdict(list)
    links = {one.why: f": {one.link}" if one.link else "" for one in found}
    for one in found:
        whose[one.why].append(one.who)
    for why, names in whose.items():
        if len(names) < _TOGETHER:
            for who in names:
                link = links[why] if len(names) == 1 else ""
                out.print(Text(clean(f"    {_fitted(who)}  {why}{link}", 400).replace("\n", " ")), soft_wrap=True)
        else:
            text = f"    {_fitted(f'{len(names)} people')}  {why}: {_named(names)}"
            out.print(Text(clean(text, 2000).replace("\n", " ")), soft_wrap=True)


def _cost(out: Console, rows: Sequence[Row], folder: Path, seconds: float) -> None:
    gradings = {row.grading.id: row.grading for row in rows if row.grading}
    if not gradings:
        return
    took = sum(one.seconds for one in gradings.values())
    said = f"{len(gradings)} different files, {duration(took)} of grading · this run took {duration(seconds)}"
    out.print(Text(f"\n  {said}"), soft_wrap=True)
    versions = {(one.grader, one.lab) for one in gradings.values()}
    if len(versions) > 1:
        out.print(Text(f"  graded with {len(versions)} versions of grader or lab; for one: ./grader replay {folder}"))
