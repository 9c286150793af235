"""Moodle's grading worksheet: read in any language, and given back with the grades filled in.

Moodle translates the headings, and reads back only its own words. So columns are recognised by their contents, and an
export is the worksheet itself. The first column is `Participant 12345`, where the word is translated, too. With
anonymous marking, there are neither names nor addresses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_IDENTIFIER = re.compile(r"(\D*\S\s+)\d+")
_NUMBER = re.compile(r"\d+([.,]\d+)?")
_TIME, _COMMENTS = "Last modified (grade)", "Feedback comments"  # as an English Moodle calls them


@dataclass(frozen=True)
class Worksheet:
    """The worksheet's cells, unchanged. Columns that it does not have are -1."""

    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    grade: int
    name: int = -1
    email: int = -1
    feedback: int = -1

    def columns(self) -> dict[int, str]:
        """What a roster calls them."""
        found = {0: "moodle", self.name: "name", self.email: "email"}
        return {at: field for at, field in found.items() if at >= 0}


def number_in(text: str) -> str:
    """Moodle's identifier: "Participant 12345" in its worksheet, 12345 in names, in any language."""
    found = re.search(r"\d+", text)
    return found[0] if found else ""


def as_worksheet(heading: Sequence[str], lines: Sequence[Sequence[str]]) -> Worksheet | None:
    """The table as a worksheet; None if it is another table."""
    width = len(heading)
    rows = [tuple([*line, *[""] * width][:width]) for line in lines if any(cell.strip() for cell in line)]
    words = {found[1] if (found := _IDENTIFIER.fullmatch(row[0].strip())) else "" for row in rows}
    grade = _grade(rows, width)
    if len(words) != 1 or "" in words or grade < 0:
        return None
    name = 1 if grade >= 3 and len({row[1] for row in rows}) * 2 > len(rows) and heading[1] != "Status" else -1
    email = next((at for at in range(1, grade) if all("@" in row[at] for row in rows)), -1)
    return Worksheet(tuple(heading), tuple(rows), grade, name, email, _feedback(heading, rows))


def _grade(rows: Sequence[Sequence[str]], width: int) -> int:
    """The column before that of the maximum, which is the same number for everybody."""
    for at in range(2, width - 1):
        most = {row[at + 1].strip() for row in rows}
        graded = {row[at].strip() for row in rows} - {"", "-"}
        if len(most) == 1 and _NUMBER.fullmatch(most.pop()) and all(map(_NUMBER.fullmatch, graded)):
            return at
    return -1


def _feedback(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The last column, unless that is the time of the grade, which is never empty."""
    if _COMMENTS in heading:
        return list(heading).index(_COMMENTS)
    times = all(row[-2].strip() for row in rows) and heading[-1] != _TIME
    return len(heading) - 1 if times and any(not row[-1].strip() for row in rows) else -1
