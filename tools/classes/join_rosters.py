"""Puts the rows of several rosters together: one person for each, whatever columns the files have.

Rows are of one person if they share a field that tells who somebody is: id, email, login or a platform's number; where
they share none of these, the name. Two rows that share one field and differ in another are refused with both lines:
one of the files is wrong, and nobody may get another person's grade.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograder.errors import UsageError
from classes.roster import canonical, name_forms, tokens
from classes.submitted_files import shown

FIELDS = ("sid", "email", "login", "canvas", "moodle")  # each tells who somebody is
_CALLED = {"sid": "id", "canvas": "Canvas' ID", "moodle": "Moodle's number"}


@dataclass
class Entry:
    """A row, or several that were joined."""

    fields: dict[str, str]
    name: str
    where: str  # roster.csv line 3
    rows: dict[str, int] = field(default_factory=dict)  # by file, which row of its table


def joined(files: Sequence[Sequence[Entry]]) -> list[Entry]:
    """All people, in the order of the first file, then those whom only later ones have."""
    people: list[Entry] = []
    for entries in files:
        _check_alone(entries)
        found, rest = set[int](), list[Entry]()
        index = _index(people)
        for entry in entries:
            if (at := _by_field(people, index, entry)) is None:
                rest.append(entry)
                continue
            if at in found:
                raise UsageError(f"{people[at].where} is two rows of another file, the second {entry.where}")
            _merge(people[at], entry)
            found.add(at)
        others = [at for at in range(len(people)) if at not in found]
        people += [entry for entry in rest if not _merge_by_name(people, others, entry, rest)]
    return people


def same(name: str, one: str, other: str) -> bool:
    """Whether two values of this field are equal, as systems write them."""
    return canonical(name, one) == canonical(name, other) or (
        # One system's login is another's without @ and what follows.
        name == "login" and ("@" in one) != ("@" in other) and _local(one) == _local(other)
    )


def _local(text: str) -> str:
    return text.strip().casefold().partition("@")[0]


def _key(name: str, text: str) -> tuple[str, str]:
    return (name, _local(text) if name == "login" else canonical(name, text))


def _index(people: Sequence[Entry]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, person in enumerate(people):
        for name in FIELDS:
            if text := person.fields.get(name):
                found[_key(name, text)].append(at)
    return found


def _by_field(people: Sequence[Entry], index: Mapping[tuple[str, str], Sequence[int]], entry: Entry) -> int | None:
    """Who shares a field with this row. Raises UsageError if they differ in another."""
    matches: dict[int, str] = {}
    for name in FIELDS:
        text = entry.fields.get(name, "")
        for at in index.get(_key(name, text), ()) if text else ():
            if same(name, text, people[at].fields[name]):
                matches.setdefault(at, name)
    if not matches:  # a login may be an address, and the other file may call it so
        for name, other in (("login", "email"), ("email", "login")):
            text = entry.fields.get(name, "").casefold()
            hits = [at for at in index.get(_key(other, text), ()) if people[at].fields[other].casefold() == text]
            matches |= dict.fromkeys(hits if "@" in text else [], name)
    for at, name in matches.items():
        if differs := _difference(people[at], entry):
            raise _conflict(people[at], entry, name, differs)
    if len(matches) > 1:
        one, other = (people[at].where for at in sorted(matches)[:2])
        raise UsageError(f"{entry.where} is the same person as {one} and as {other}; correct one of the files")
    return next(iter(matches), None)


def _difference(one: Entry, other: Entry) -> str:
    """The field in which two rows differ."""
    for name in FIELDS:
        a, b = one.fields.get(name, ""), other.fields.get(name, "")
        if a and b and not same(name, a, b):
            return name
    if one.fields.get("canvas") and other.fields.get("canvas"):  # one number for each person in all courses
        return ""
    return "" if _same_name(one.name, other.name) else "name"


def _same_name(one: str, other: str) -> bool:
    """Whether they can be one person's: one may have more words, or initials, or be written as one word."""
    short, long = sorted((tokens(one), tokens(other)), key=len)
    if not short or name_forms(one) & name_forms(other):
        return True
    return all(any(_same_word(word, more) for more in long) for word in short)


def _same_word(one: str, other: str) -> bool:
    return one == other or (1 in (len(one), len(other)) and one[0] == other[0])


def _conflict(one: Entry, other: Entry, shared: str, differs: str) -> UsageError:
    a, b = (entry.name if differs == "name" else entry.fields[differs] for entry in (one, other))
    return UsageError(
        f"{one.where} and {other.where} have the same {_called(shared)}"
        f" ({shown(other.name if shared == 'name' else other.fields[shared], 60)}) and different ones under"
        f" {_called(differs)}: {shown(a, 60)} and {shown(b, 60)}; correct one of them"
    )


def _called(name: str) -> str:
    return _CALLED.get(name, name)


def _merge_by_name(people: list[Entry], others: Sequence[int], entry: Entry, rest: Sequence[Entry]) -> bool:
    """Joins a row that shares no other field. Two people of that name, and it cannot be said who is meant."""
    forms = name_forms(entry.name)
    matches = [people[at] for at in others if forms & name_forms(people[at].name)]
    if not matches:
        return False
    for person in matches:
        if len(matches) == 1 and (differs := _difference(person, entry)):
            raise _conflict(person, entry, "name", differs)
    twins = [one for one in rest if one is not entry and forms & name_forms(one.name)]
    if len(matches) > 1 or twins:
        names = [person.where for person in (*matches, *twins)][:2]
        raise UsageError(
            f"{entry.where}: {shown(entry.name, 60)} may be {' or '.join(names)}, and the files share no column that"
            " tells them apart; add an id, email or login to both"
        )
    _merge(matches[0], entry)
    return True


def _merge(person: Entry, entry: Entry) -> None:
    """What the first file says stays; later ones fill in what it lacks."""
    for name, text in entry.fields.items():
        if not person.fields.get(name):
            person.fields[name] = text
    person.name = person.name or entry.name
    person.where = f"{person.where} (= {entry.where})"
    person.rows |= entry.rows


def _check_alone(entries: Sequence[Entry]) -> None:
    """Within one file, no two rows may be the same person."""
    for name in FIELDS:
        seen: dict[str, Entry] = {}
        for entry in entries:
            text = canonical(name, entry.fields.get(name, ""))
            if text and (before := seen.setdefault(text, entry)) is not entry:
                raise UsageError(
                    f"{shown(entry.fields[name], 60)} is there twice ({shown(before.name, 60)}, "
                    f"{shown(entry.name, 60)}): {before.where} and {entry.where} have the same {_called(name)}; "
                    "remove one, or give each person their own"
                )
    names: dict[str, Entry] = {}
    for entry in entries:
        text = " ".join(tokens(entry.name))
        before = names.setdefault(text, entry)
        if text and before is not entry and not _told_apart(before, entry):
            raise UsageError(
                f"{shown(entry.name, 60)} is there twice: {before.where} and {entry.where}; remove one, or give each "
                "person a login, email or id of their own"
            )


def _told_apart(one: Entry, other: Entry) -> bool:
    return any(one.fields.get(name) and other.fields.get(name) for name in FIELDS)
