"""Reads rosters: CSV files of our own (name, login, email, id, section), or as platforms write them.

Canvas' gradebook, Moodle's grading worksheet or participants, Gradescope's roster. Several files are joined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autograder.errors import UsageError
from classes.join_rosters import Entry, joined
from classes.platform_table import COLUMNS, Given, plain, read_table
from classes.roster import Person, Roster
from classes.submitted_files import shown
from classes.worksheet import as_worksheet, number_in

# Gradescope's roles are Student, Instructor, TA and Reader; a table of somebody's own may have the others.
_STAFF = ("instructor", "ta", "reader", "teacher", "teachingassistant", "grader", "staff", "tutor", "observer", "admin")
_NOBODY = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)  # Canvas' second line


def read_rosters(paths: Sequence[Path]) -> Roster:
    """All people of these files. Raises UsageError, with the lines, for what is not a roster or contradicts another."""
    tables = [read_table(path, "--roster") for path in paths]
    files, notes, staff = [], [], 0
    for path, table in zip(paths, tables, strict=True):
        entries, left = entries_of(table, f"--roster {path}")
        files.append(entries)
        staff += left
    try:
        people = joined(files)
    except UsageError as error:
        raise UsageError(f"--roster {', '.join(map(str, paths))}: {error}") from None
    notes += [f"{staff} of the roster are staff, not students"] if staff else []
    for table in tables if len(tables) > 1 else ():
        alone = [entry.name for entry in people if set(entry.rows) == {table.name}]
        if alone:
            more = f" and {len(alone) - 5} more" if len(alone) > 5 else ""
            notes.append(f"in {table.name} alone: {', '.join(shown(name, 40) for name in alone[:5])}{more}")
    return Roster(_people(people), [table for table in tables if table.kind], notes)


def entries_of(table: Given, what: str) -> tuple[list[Entry], int]:
    """The people of one table, and how many of its rows are staff."""
    columns = _columns(table.heading)
    own = set(columns.values()) & {"name", "first", "last", "login"}
    worksheet = as_worksheet(table.heading, table.rows) if columns.get(0, "sid") in ("sid", "moodle") else None
    if worksheet and ("moodle" in columns.values() or not own):
        columns = {**({} if own else worksheet.columns()), **{at: field for at, field in columns.items() if at}}
        columns[0] = "moodle"
    elif not own and not {"email", "sid"} & set(columns.values()):
        raise UsageError(
            f"{what}: line 1 names no column that says who somebody is; it has {shown(','.join(table.heading))}, "
            "and needs name, login, email or id"
        )
    entries, staff = [], 0
    for at, (line, row) in enumerate(zip(table.lines, table.rows, strict=True)):
        if not _is_person(row):
            continue
        entry = _entry(row, columns, f"{table.name} line {line}", {table.name: at})
        role = plain(entry.fields.pop("role", ""))
        staff += role in _STAFF
        if role not in _STAFF and any(entry.fields.values()):
            entries.append(entry)
    return entries, staff


def _columns(heading: Sequence[str]) -> dict[int, str]:
    names = [plain(name) for name in heading]
    canvas = "sisloginid" in names or "sisuserid" in names or names[:2] == ["student", "id"]
    found: dict[int, str] = {}
    for at, name in enumerate(names):
        field = next((field for field, known in COLUMNS.items() if name in known), "")
        field = "canvas" if canvas and name == "id" else field
        if field and field not in found.values():
            found[at] = field
    return found


def _is_person(row: Sequence[str]) -> bool:
    first = row[0].strip() if row else ""
    return first not in ("Points Possible", "Student, Test") and not all(map(_NOBODY.fullmatch, row))


def _entry(row: Sequence[str], columns: dict[int, str], where: str, rows: dict[str, int]) -> Entry:
    fields = {field: row[at].strip() for at, field in columns.items() if at < len(row) and row[at].strip()}
    name = fields.get("name") or f"{fields.get('first', '')} {fields.get('last', '')}".strip()
    last, comma, first = name.partition(",")
    name = f"{first.strip()} {last.strip()}" if comma and "canvas" in fields else name
    return Entry({**fields, "name": fields.get("name", name)}, name, where, rows)


def _people(entries: Sequence[Entry]) -> list[Person]:
    """Namesakes whom only Moodle's numbers tell apart have these in their keys."""
    people = []
    for entry in entries:
        fields = entry.fields
        key = next((fields[name] for name in ("login", "email", "sid", "canvas") if fields.get(name)), entry.name)
        key = key or fields.get("moodle", "")
        people.append(Person(key, entry.name or key, fields))
    count = Counter(person.key.casefold() for person in people)
    made = [
        replace(one, key=f"{one.key} ({number_in(one.fields['moodle'])})")
        if count[one.key.casefold()] > 1 and "moodle" in one.fields else one
        for one in people
    ]  # fmt: skip
    seen: dict[str, Entry] = {}
    for person, entry in zip(made, entries, strict=True):
        if (before := seen.setdefault(person.key.casefold(), entry)) is not entry:
            raise UsageError(f"{before.where} and {entry.where}: both would be called {shown(person.key)}")
    return made
