"""A platform's own table, as it was downloaded: its people are a roster, and it is handed back with grades in it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.errors import UsageError

COLUMNS = {
    "name": ("name", "fullname", "student", "studentname"),
    "first": ("firstname", "givenname", "forename"),
    "last": ("lastname", "surname", "familyname"),
    "login": ("login", "username", "sisloginid", "loginid", "user", "account", "githubusername", "netid"),
    "email": ("email", "emailaddress", "mail"),
    "sid": ("sid", "sisuserid", "idnumber", "studentid", "studentnumber", "matriculationnumber", "id"),
    "section": ("section", "sections", "group", "groups"),
    "moodle": ("identifier",),
    "canvas": ("canvasid", "canvasuserid"),
    "role": ("role",),
}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True)
class Given:
    """All cells, unchanged. `lines`: where each row begins in the file."""

    kind: str  # canvas, moodle, gradescope, or "" for a table of somebody's own
    name: str  # of the file
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...] = ()

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


def from_data(data: Mapping[str, Any]) -> Given:
    """As `as_data` made it, read from JSON."""
    return Given(
        data["kind"], data["name"], tuple(data["heading"]), tuple(map(tuple, data["rows"])), tuple(data["lines"])
    )


def plain(heading: str) -> str:
    """A heading in the form in which headings are compared."""
    return re.sub(r"[^a-z]", "", heading.casefold())


def read_table(path: Path, option: str) -> Given:
    """Any table that spreadsheets save. Raises UsageError, with the line, for what is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}") from None
    text = decode(data)
    heading = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=heading.count)
    reader, line = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 1
    rows: list[tuple[int, tuple[str, ...]]] = []
    try:
        for row in reader:  # strict, because an unclosed quote would swallow the people after it
            rows.append((line, tuple(row)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{option} {path}: line {line}: {_why(error)}") from None
    if not rows:
        raise UsageError(f"{option} {path}: is empty; its first line names columns: name,login,email,id,section")
    first = rows[0][1]
    kept = [(line, row) for line, row in rows[1:] if any(cell.strip() for cell in row)]
    filled = tuple((*row, *[""] * (len(first) - len(row))) for _, row in kept)
    return Given(_kind(first, filled), path.name, first, filled, tuple(line for line, _ in kept))


def _kind(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Canvas and Gradescope write English headings; Moodle's are in its own language (worksheet.py)."""
    from classes.worksheet import as_worksheet

    names = [plain(name) for name in heading]
    # lib/gradebook_importer.rb of canvas-lms: "Student" and "ID" come first, or LastName, FirstName and ID.
    if names[:2] == ["student", "id"] or names[:3] == ["lastname", "firstname", "id"]:
        return "canvas" if {"sisloginid", "sisuserid", "section"} & set(names) else ""
    if "role" in names and "email" in names:
        return "gradescope"
    own = {name for field in ("name", "first", "last", "login") for name in COLUMNS[field]} & set(names)
    return "moodle" if names[:1] == ["identifier"] or (not own and as_worksheet(heading, rows)) else ""


def number(text: str) -> float | None:
    """A number as spreadsheets write it, with a point or a comma; None for anything else."""
    found = _NUMBER.fullmatch(text.strip())
    return float(found[0].replace(",", ".")) if found else None


def _why(error: csv.Error) -> str:
    if "unexpected end" in str(error) or "expected after" in str(error):
        return 'a quote (") opens or closes in the wrong place; a quote within a quoted cell is written twice'
    return f"cannot be read as CSV: {error}"


def decode(data: bytes) -> str:
    """Text as spreadsheets save it: UTF-8 with or without a mark, UTF-16, or Windows' older encoding."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
