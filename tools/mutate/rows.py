"""What became of each mutant: rows of a CSV file, and what they amount to."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import msgspec

from mutate.arguments import Argument
from mutate.trial import PASSES

SAME_PTX = "same PTX"
NOT_COMPILED = "CE"  # replaced by another mutant and not counted
FAULT = "IE"  # the tool's or the machine's; counts as a survivor until it is looked at
LEAST = 0.95  # of those that are not equivalent


@dataclass(frozen=True)
class Row:
    """One mutant of one rung."""

    lab: int
    task: str
    id: str
    operator: str
    file: str
    line: int
    change: str
    verdict: str  # the grader's, or PASSES, SAME_PTX, NOT_COMPILED, FAULT
    n: int  # of the first case that rejects; -1: none
    variant: str
    because: str
    cases: int  # that were run
    seconds: float
    key: str  # of the sources that it was judged with


def write_csv(rows: Iterable[Row], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Row)])
        writer.writerows(astuple(row) for row in rows)


def append_csv(row: Row, path: Path) -> None:
    with path.open("a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(astuple(row))


def read_csv(path: Path) -> list[Row]:
    """A last line that was cut off in the middle is left out."""
    rows = []
    with path.open(newline="") as file:
        for line in csv.DictReader(file):
            if None not in line.values():
                rows.append(msgspec.convert(line, Row, strict=False))
    return rows


@dataclass
class Count:
    """Of a rung, or of a lab."""

    made: int = 0
    same_ptx: int = 0
    equivalent: int = 0  # argued
    speed: int = 0  # argued: only slower
    rejected: int = 0
    survivors: int = 0
    verdicts: Counter[str] | None = None

    @property
    def share(self) -> float:
        """Rejected, of those that are not equivalent."""
        counted = self.rejected + self.survivors
        return self.rejected / counted if counted else 1.0


def kind_of(row: Row, arguments: Sequence[Argument]) -> str:
    """same_ptx, equivalent, speed, rejected or survivors; empty: not counted."""
    if row.verdict == NOT_COMPILED:
        return ""
    if row.verdict == SAME_PTX:
        return "same_ptx"
    if row.verdict not in (PASSES, FAULT):
        return "rejected"
    found = [one.kind for one in arguments if one.id == row.id and one.holds_for(row.task)]
    return found[0] if found else "survivors"


def count(rows: Iterable[Row], arguments: Sequence[Argument]) -> Count:
    total = Count(verdicts=Counter())
    assert total.verdicts is not None
    for row in rows:
        kind = kind_of(row, arguments)
        if not kind:
            continue
        total.made += 1
        setattr(total, kind, getattr(total, kind) + 1)
        if kind == "rejected":
            total.verdicts[row.verdict] += 1
    return total


def refuted(rows: Iterable[Row], arguments: Sequence[Argument]) -> list[str]:
    """Arguments for mutants that a case rejects after all."""
    return [
        f"{row.id}: argued, but {row.task} is rejected: {row.verdict} at n = {row.n}"
        for row in rows
        if kind_of(row, arguments) == "rejected"
        and any(one.id == row.id and one.holds_for(row.task) for one in arguments)
    ]
