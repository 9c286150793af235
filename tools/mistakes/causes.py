"""python -m mistakes.causes [LAB] [WORD]: how often the grader names the cause of a wrong program, and the right line.

The truth is the edit that made the program: a line that it changed, or one beside a line that it took out.
"""

from __future__ import annotations

import difflib
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from os import cpu_count
from pathlib import Path

import msgspec

from autograder.plan.labs import folders
from mistakes.alone import graded
from mistakes.catalog import Mistake, mistakes_of
from mistakes.conformance import request_for
from mistakes.generate import originals, texts

ROOT = Path(__file__).resolve().parents[2]


class Row(msgspec.Struct, frozen=True):
    """What the grader said of one wrong program."""

    title: str
    lab: int
    verdict: str
    kind: str  # of the cause; "": none is named
    where: str  # file:line
    line_right: bool | None  # None: no line is named, or the truth has none
    was: str
    now: str
    findings: list[str]
    reason: str
    seconds: float


def lines_of(mistake: Mistake) -> set[int]:
    """The lines of the wrong file where the mistake is; empty if it is in another file, or a program of its own."""
    if mistake.entry.file:
        return set()
    name = mistake.source.name
    before, after = originals(mistake)[name].splitlines(), texts(mistake)[name].splitlines()
    found: set[int] = set()
    for kind, _, _, first, last in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            found |= set(range(first + 1, last + 1)) if last > first else {first, first + 1}
    return found


def row_of(mistake: Mistake) -> Row:
    start = time.monotonic()
    task = graded(ROOT, replace(request_for(mistake), causes=True)).tasks[0]
    truth = lines_of(mistake)
    file, _, line = task.where.rpartition(":")
    right = int(line) in truth if truth and line.isdigit() and file == mistake.source.name else None
    cause = task.cause
    return Row(
        mistake.title,
        int(mistake.lab.name[:2]),
        task.verdict,
        cause.kind if cause else "",
        task.where,
        right,
        cause.was if cause else "",
        cause.now if cause else "",
        [f"{one.kind}:{one.place.line}" for one in task.findings],
        task.reason,
        round(time.monotonic() - start, 1),
    )


def rows(mistakes: Sequence[Mistake], jobs: int) -> Iterable[Row]:
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(row_of, mistakes)


def summary(found: Sequence[Row]) -> list[str]:
    """A line for each lab, and one for all."""
    lines = [f"{'lab':<5}{'wrong':>6}{'named':>7}{'line right':>12}{'line wrong':>12}{'seconds':>9}"]
    for lab in [*sorted({row.lab for row in found}), 0]:
        its = [row for row in found if lab in (0, row.lab)]
        named = [row for row in its if row.kind]
        right, wrong = (sum(row.line_right is known for row in named) for known in (True, False))
        mean = sum(row.seconds for row in its) / max(len(its), 1)
        lines.append(f"{lab or 'all':<5}{len(its):>6}{len(named):>7}{right:>12}{wrong:>12}{mean:>9.1f}")
    return lines


def main(words: Sequence[str]) -> None:
    labs = [int(word) for word in words if word.isdigit()]
    names = [word for word in words if not word.isdigit()]
    wrong = [
        one
        for number, folder in folders(ROOT).items()
        if not labs or number in labs
        for one in mistakes_of(folder)
        if one.entry.kind == "wrong" and all(name in one.title for name in names)
    ]
    found = []
    for row in rows(wrong, cpu_count() or 1):
        found.append(row)
        mark = {True: "line right", False: "LINE WRONG", None: "-"}[row.line_right]
        change = f"`{row.was[:50]}` -> `{row.now[:50]}`" if row.kind else row.reason[:90]
        print(f"{row.title}: {row.verdict} {row.kind or 'not named'} {row.where} {mark} {change}", flush=True)
    print("\n".join(summary(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
