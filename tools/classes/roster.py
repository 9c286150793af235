"""The people of a class, and which of them a name on a submission means.

roster_files.py reads them from files, join_rosters.py puts the rows of several files together. A name is never guessed:
where two people could be meant, nobody is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from classes.platform_table import Given
from classes.worksheet import number_in

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

    def __init__(self, people: Sequence[Person], given: Sequence[Given] = (), notes: Sequence[str] = ()) -> None:
        """`given`: platforms' own tables, to be handed back with grades; `notes`: what people should know of them."""
        self.people, self.given, self.notes = list(people), tuple(given), tuple(notes)
        self._by_word: dict[str, set[int]] = {}
        self._by_name: dict[str, set[int]] = {}
        for at, person in enumerate(people):
            for field in ("login", "email", "sid"):
                for word in _identifiers(field, person.fields.get(field, "")):
                    self._by_word.setdefault(word, set()).add(at)
            for form in name_forms(person.name):
                self._by_name.setdefault(form, set()).add(at)

    def find(self, label: str, ids: Mapping[str, str], lab_words: tuple[str, ...] = ()) -> tuple[Person | None, str]:
        """The person, or None and, if several people match, why nobody was chosen."""
        for field in IDS:
            wanted = canonical(field, ids.get(field, ""))
            found = [one for one in self.people if wanted and wanted == canonical(field, one.fields.get(field, ""))]
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
    """Why this is another person of the same name: id, Moodle's or Canvas' numbers differ; "": the same person."""
    for field in ("moodle", "canvas", "sid"):
        here, there = canonical(field, ids.get(field, "")), canonical(field, person.fields.get(field, ""))
        if here and there and here != there:
            return f"the roster has no number {here}: {person.name} is {there} there"
    return ""


def canonical(field: str, text: str) -> str:
    """A field in the form in which systems can be compared."""
    if field == "moodle":
        return number_in(text)
    plain = text.strip().casefold()
    return plain.lstrip("0") or plain if field == "sid" and plain.isdigit() else plain  # spreadsheets remove zeros


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


def name_forms(name: str) -> set[str]:
    """Ada King Lovelace, Lovelace Ada King, King Lovelace Ada: whichever word comes first, without spaces."""
    words = tokens(name)
    return {"".join(words[at:] + words[:at]) for at in range(len(words))}


def _without_lab(label: str, words: tuple[str, ...]) -> list[str]:
    """ada for scan_ada, lab3-ada and ada (scan)."""
    parts = [part for part in re.split(r"[\s_\-().]+", label) if part]
    kept = [part for part in parts if part.casefold() not in words]
    return [" ".join(kept), "_".join(kept), "-".join(kept), ".".join(kept)] if kept and kept != parts else []
