"""The people of a class, and which of them a name on a submission means.

A roster is a CSV file: our own (name, login, email, id, section), or what Canvas (gradebook), Moodle (grading
worksheet or participants) and Gradescope (roster) write. A name is never guessed: where two people could be meant,
nobody is.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.classes.items import shown
from autograder.classes.worksheet import Worksheet, as_worksheet, number_in
from autograder.errors import UsageError

_COLUMNS = {
    "name": ("name", "fullname", "student", "studentname"),
    "first": ("firstname", "givenname", "forename"),
    "last": ("lastname", "surname", "familyname"),
    "login": ("login", "username", "sisloginid", "loginid", "user", "account", "githubusername", "netid"),
    "email": ("email", "emailaddress", "mail"),
    "sid": ("sid", "sisuserid", "idnumber", "studentid", "studentnumber", "matriculationnumber", "id"),
    "section": ("section", "sections", "group", "groups"),
    "moodle": ("identifier",),
    "canvas": ("canvasid", "canvasuserid"),
}
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th"})
IDS = ("login", "email", "sid", "moodle", "canvas")


@dataclass(frozen=True)
class Person:
    """One line of the roster, or somebody who is not in it."""

    key: str  # this person's name in tables and files
    name: str
    fields: Mapping[str, str]
    known: bool = True


class Roster:
    """Finds people by identifiers and names."""

    def __init__(self, people: list[Person], worksheet: Worksheet | None = None) -> None:
        self.people, self.worksheet = people, worksheet
        self._by_word: dict[str, set[int]] = {}
        self._by_name: dict[str, set[int]] = {}
        for at, person in enumerate(people):
            for field in ("login", "email", "sid"):
                for word in _identifiers(field, person.fields.get(field, "")):
                    self._by_word.setdefault(word, set()).add(at)
            for form in _forms(person.name):
                self._by_name.setdefault(form, set()).add(at)

    def find(self, label: str, ids: Mapping[str, str], lab_words: tuple[str, ...] = ()) -> tuple[Person | None, str]:
        """The person, or None and, if several people match, why nobody was chosen."""
        for field in IDS:
            wanted = number_in(ids[field]) if field == "moodle" and field in ids else ids.get(field, "").casefold()
            found = [one for one in self.people if wanted and wanted in _typed(field, one.fields.get(field, ""))]
            if len(found) == 1:
                return found[0], ""
        for parts in ([label], *([part] for part in _without_lab(label, lab_words)), _without_group(label, ids)):
            for index, words in (
                (self._by_word, [part.strip().casefold() for part in parts]),
                (self._by_name, [_joined(part) for part in parts]),
            ):
                matches = set[int]().union(*(index.get(word, set()) for word in words if word))
                if len(matches) == 1:
                    person = self.people[min(matches)]
                    other = _other_number(person, ids)
                    return (None, other) if other else (person, "")
                if matches:
                    names = ", ".join(self.people[at].key for at in sorted(matches)[:4])
                    return None, f"{len(matches)} people of the roster match: {names}"
        return None, ""


def _other_number(person: Person, ids: Mapping[str, str]) -> str:
    """Why this is another person of the same name: Moodle's or Canvas' numbers differ; "": the same person."""
    for field in ("moodle", "canvas"):
        here, there = _typed(field, ids.get(field, "")), _typed(field, person.fields.get(field, ""))
        if any(here) and any(there) and here != there:
            return f"the roster has no number {here[0]}: {person.name} is {there[0]} there"
    return ""


def _typed(field: str, text: str) -> tuple[str, ...]:
    return (number_in(text),) if field == "moodle" else (text.casefold(),)


def _without_group(label: str, ids: Mapping[str, str]) -> list[str]:
    """Ada Lovelace for Moodle's Team 1-Ada Lovelace; a group's name may have dashes of its own."""
    parts = label.split("-") if "moodle" in ids else []
    return ["-".join(parts[at:]) for at in range(1, len(parts))]


def _identifiers(field: str, text: str) -> set[str]:
    """What a person may be called by this field: an address also by what is before its @."""
    word = text.strip().casefold()
    return {word, word.partition("@")[0]} - {""} if field in ("email", "login") else {word} - {""}


def tokens(name: str) -> list[str]:
    """The words of a name: small letters without accents."""
    plain = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return re.findall(r"[^\W_]+", re.sub(r"['’`]", "", plain))


def _joined(name: str) -> str:
    return "".join(tokens(name))


def _forms(name: str) -> set[str]:
    """Ada King Lovelace, Lovelace Ada King, King Lovelace Ada: whichever word comes first, without spaces."""
    words = tokens(name)
    return {"".join(words[at:] + words[:at]) for at in range(len(words))}


def _without_lab(label: str, words: tuple[str, ...]) -> list[str]:
    """ada for scan_ada, lab3-ada and ada (scan)."""
    parts = [part for part in re.split(r"[\s_\-().]+", label) if part]
    kept = [part for part in parts if part.casefold() not in words]
    return [" ".join(kept), "_".join(kept), "-".join(kept), ".".join(kept)] if kept and kept != parts else []


def read_roster(path: Path) -> Roster:
    """Raises UsageError, with the line, for what is not a roster."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"--roster {path}: {error.strerror}") from None
    text = decode(data)
    heading = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=heading.count)
    reader, rows, line = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [], 1
    try:
        for row in reader:  # strict, because an unclosed quote would swallow the people after it
            rows.append(row)
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"--roster {path}: line {line}: {_why(error)}") from None
    if not rows:
        raise UsageError(f"--roster {path}: is empty; its first line names columns: name,login,email,id,section")
    columns = _columns(rows[0])
    own = set(columns.values()) & {"name", "first", "last", "login"}
    worksheet = as_worksheet(rows[0], rows[1:]) if columns.get(0, "sid") in ("sid", "moodle") else None
    if worksheet and ("moodle" in columns.values() or not own):
        columns = {**({} if own else worksheet.columns()), **{at: field for at, field in columns.items() if at}}
        columns[0] = "moodle"
    elif not own and not {"email", "sid"} & set(columns.values()):
        raise UsageError(
            f"--roster {path}: line 1 names no column that says who somebody is; it has {shown(heading)}, "
            "and needs name, login, email or id"
        )
    people = _unique([_person(row, columns) for row in rows[1:] if _is_person(row)], path)
    return Roster(people, worksheet if columns.get(0) == "moodle" else None)


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


def _columns(heading: list[str]) -> dict[int, str]:
    plain = [re.sub(r"[^a-z]", "", name.casefold()) for name in heading]
    canvas = "sisloginid" in plain or "sisuserid" in plain
    found: dict[int, str] = {}
    for at, name in enumerate(plain):
        field = next((field for field, names in _COLUMNS.items() if name in names), "")
        field = "canvas" if canvas and name == "id" else field
        if field and field not in found.values():
            found[at] = field
    return found


def _is_person(row: list[str]) -> bool:
    first = row[0].strip() if row else ""
    return any(cell.strip() for cell in row) and first not in ("Points Possible", "Student, Test")


def _person(row: list[str], columns: dict[int, str]) -> Person:
    fields = {field: row[at].strip() for at, field in columns.items() if at < len(row) and row[at].strip()}
    name = fields.get("name") or f"{fields.get('first', '')} {fields.get('last', '')}".strip()
    last, comma, first = name.partition(",")
    name = f"{first.strip()} {last.strip()}" if comma and "canvas" in fields else name
    key = next((fields[field] for field in ("login", "email", "sid", "canvas") if fields.get(field)), name)
    key = key or fields.get("moodle", "")
    return Person(key, name or key, {**fields, "name": fields.get("name", name)})


def _unique(people: list[Person], path: Path) -> list[Person]:
    """Namesakes whom Moodle's numbers tell apart have these in their keys."""
    same: dict[str, list[Person]] = {}
    for person in people:
        same.setdefault(person.key.casefold(), []).append(person)
    numbers = {key: {_typed("moodle", one.fields.get("moodle", "")) for one in group} for key, group in same.items()}
    for key, group in same.items():
        if len(group) > 1 and (len(numbers[key]) < len(group) or ("",) in numbers[key]):
            raise UsageError(
                f"--roster {path}: {shown(group[1].key)} is there twice ({shown(group[0].name)}, "
                f"{shown(group[1].name)}); remove one, or give each person a login, email or id of their own"
            )
    return [
        replace(one, key=f"{one.key} ({number_in(one.fields['moodle'])})") if len(same[one.key.casefold()]) > 1 else one
        for one in people
    ]
