"""Canvas' gradebook and Moodle's grading worksheet, handed back with points.

Both are the file that the platform gave, cell by cell, with one column filled in. Points are scaled to the maximum that
the file states. Where there is no grade, nothing that the platform has is touched: the row is left out, for an empty
cell would erase a grade in Canvas. In Moodle's worksheet, the row of a refused file has the reason and its old grade.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autograder.errors import UsageError
from autograder.plan.manifest import Manifest
from classes.join_rosters import Entry, joined
from classes.platform_table import Given, number
from classes.roster_files import entries_of
from classes.student_results import Row
from classes.student_text import feedback
from classes.tables import Raw, csv_text
from classes.worksheet import as_worksheet

# lib/gradebook_importer.rb of canvas-lms: GRADEBOOK_IMPORTER_RESERVED_NAMES and NON_ASSIGNMENT_COLUMN_HEADERS.
_STUDENT = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID",
            "Root Account", "Section")  # fmt: skip
_NO_ASSIGNMENT = re.compile(r"(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")
_EXCUSED = "EX"


@dataclass
class Made:
    """A table, and what a person should know of it."""

    text: str
    people: int
    notes: list[str] = field(default_factory=list)


def scaled(points: float, of: float | None, maximum: float) -> float:
    """The same part of another maximum, down to a hundredth: nothing is rounded up to full marks."""
    if not of or of == maximum:
        return points
    return math.floor(points * maximum / of * 100 + 1e-6) / 100


def matched(rows: Sequence[Row], given: Given) -> dict[int, Row]:
    """By row of the platform's table, whose it is. Raises UsageError with both lines where fields contradict."""
    known = [row for row in rows if row.submission.person.known]
    numbers = [{"moodle": moodle_number(row)} if given.kind == "moodle" else {} for row in known]
    ours = [
        Entry(
            {**row.submission.person.fields, **more}, row.submission.person.name, f"{row.key} of the results", {"": at}
        )
        for at, (row, more) in enumerate(zip(known, numbers, strict=True))
    ]
    theirs, _ = entries_of(given, given.name)
    try:
        people = joined([ours, theirs])
    except UsageError as error:
        raise UsageError(f"{given.name}: {error}") from None
    return {one.rows[given.name]: known[one.rows[""]] for one in people if {"", given.name} <= set(one.rows)}


def canvas(rows: Sequence[Row], given: Given, title: str | None, lab: Manifest) -> Made:
    """Canvas' gradebook: its own rows and column."""
    column = _column(given, title, lab)
    people = [at for at, name in enumerate(given.heading) if name.strip() in _STUDENT]
    stated = next((row for row in given.rows if "Points Possible" in row[0]), None)
    most = number(stated[column]) if stated else None
    name = given.heading[column]
    if stated is None or not most:
        raise UsageError(f"{given.name} states no Points Possible for {name}; give the assignment its points in Canvas")
    lines: list[list[object]] = [[Raw(given.heading[at]) for at in (*people, column)]]
    lines.append([Raw(stated[at]) for at in (*people, column)])
    whose, excused = matched(rows, given), list[str]()
    for at, row in sorted(whose.items(), key=lambda pair: pair[0]):
        cells = given.rows[at]
        if row.points is not None and cells[column].strip().upper() == _EXCUSED:
            excused.append(row.key)
        elif row.points is not None:
            lines.append([*(Raw(cells[place]) for place in people), scaled(row.points, row.of, most)])
    notes = [f"column {name}, of {most:g} points", *_scaling(rows, most)]
    notes += [f"excused there, so left out: {some(excused)}"] if excused else []
    return Made(csv_text(lines), len(lines) - 2, [*notes, *left_out(rows, whose.values(), given)])


def _column(given: Given, title: str | None, lab: Manifest) -> int:
    """The assignment's column: the one that was named, or the only one that names the lab."""
    stated = next((row for row in given.rows if "Points Possible" in row[0]), given.heading)
    columns = [
        at for at, name in enumerate(given.heading)
        if name.strip() and name.strip() not in _STUDENT and not _NO_ASSIGNMENT.search(name)
        and "read only" not in stated[at]
    ]  # fmt: skip
    names = [given.heading[at] for at in columns]
    if title is not None:
        low = title.strip().casefold()
        fit = [at for at in columns if given.heading[at].strip().casefold() == low]
        fit = fit or [at for at in columns if re.sub(r"\s*\(\d+\)$", "", given.heading[at]).strip().casefold() == low]
        said = f"--title {title}"
    else:
        forms = (rf"\b(lab|exercise|assignment)[ _-]*0*{lab.number}\b", *map(_word, (lab.title, lab.name)))
        found = ([at for at in columns if re.search(form, given.heading[at], re.IGNORECASE)] for form in forms)
        fit = next((some for some in found if some), [])
        said = f"lab {lab.number}"
    if len(fit) != 1:
        what = "several columns of" if fit else "no column of"
        shown = ", ".join(given.heading[at] for at in fit) if fit else ", ".join(names[:12]) or "it has no assignment"
        raise UsageError(f"{said} is {what} {given.name}: {shown}; name one with --title")
    return fit[0]


def _word(text: str) -> str:
    return rf"\b{re.escape(text)}\b"


def moodle(rows: Sequence[Row], given: Given) -> Made:
    """Moodle's own grading worksheet."""
    sheet = as_worksheet(given.heading, given.rows)
    if sheet is None:
        raise UsageError(f"{given.name} has no column for grades and their maximum: download the grading worksheet")
    most = number(given.rows[0][sheet.grade + 1])
    if not most:
        raise UsageError(f"{given.name} states no maximum grade; give the assignment one in Moodle")
    # unformat_float of Moodle's lib/moodlelib.php takes the decimal sign of its language.
    comma = any("," in row[at] for row in given.rows for at in (sheet.grade, sheet.grade + 1))
    whose, handed = matched(rows, given), 0
    lines: list[list[object]] = [[*map(Raw, given.heading)]]
    for at, row in sorted(whose.items(), key=lambda pair: pair[0]):
        cells: list[object] = [*map(Raw, given.rows[at])]
        says = sheet.feedback >= 0 and row.status in ("refused", "time")
        if row.points is None and not says:
            continue  # what Moodle has may be newer than this file
        if row.points is not None:
            # Moodle skips a grade above the maximum without a word (mod/assign/feedback/offline/locallib.php).
            text = f"{scaled(row.points, row.of, most):.10g}"
            cells[sheet.grade] = Raw(text.replace(".", ",") if comma else text)
            handed += 1
        if sheet.feedback >= 0:
            cells[sheet.feedback] = feedback(row)
        lines.append(cells)
    notes = [f"maximum {most:g}", *_scaling(rows, most)]
    return Made(csv_text(lines), handed, [*notes, *left_out(rows, whose.values(), given)])


def moodle_number(row: Row) -> str:
    """The number by which Moodle finds a person; from the folder's name if the roster lacks it."""
    if found := row.submission.person.fields.get("moodle"):
        return found
    before, found, _ = row.submission.origin.partition("_assignsubmission_")
    digits = before.rpartition("_")[2]
    return digits if found and digits.isdigit() else ""


def _scaling(rows: Sequence[Row], most: float) -> list[str]:
    of = {row.of for row in rows if row.points is not None and row.of} - {most}
    return [f"points are scaled from {', '.join(f'{one:g}' for one in sorted(of))} to {most:g}"] if of else []


def left_out(rows: Sequence[Row], found: Iterable[Row], given: Given) -> list[str]:
    """Who is not handed over, and why."""
    there = {id(row) for row in found}
    strangers = [row.key for row in rows if not row.submission.person.known]
    lost = [row.key for row in rows if row.submission.person.known and row.points is not None and id(row) not in there]
    without = [row.key for row in rows if row.submission.person.known and row.points is None]
    notes = [f"without {len(strangers)} who are not in the roster: {some(strangers)}"] if strangers else []
    notes += [f"not in {given.name}: {some(lost)}"] if lost else []
    notes += [f"without a grade, so what is there stays: {some(without)}"] if without else []
    return notes


def some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
