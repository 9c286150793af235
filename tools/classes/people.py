"""Matches submissions with the roster: for each person, the file to grade or the reason why there is none."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from classes.choose_file import Lab, choose, is_whole_class
from classes.layouts import Handed
from classes.metadata import moment
from classes.roster import Person, Roster
from classes.submitted_files import Refused, shown


@dataclass(frozen=True)
class Submission:
    """One row of the class. Without `digest`, there is nothing to grade, and `problem` says why."""

    person: Person
    origin: str = ""
    path: str = ""  # of the file, in what was handed in
    digest: str = ""
    alike: str = ""  # the same for files that differ only in white space
    late: bool = False
    when: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()


NOTHING = "handed in nothing"
Keep = Callable[[str, bytes], object]


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]


def submissions(found: Sequence[Handed], roster: Roster | None, lab: Lab, keep: Keep) -> list[Submission]:
    """All rows, in the order of the roster; then people who are not in it. `keep` gets each file and its digest."""
    n = lab.number
    words = (lab.file.removesuffix(".cu"), f"lab{n}", f"lab{n:02}", str(n), "lab", lab.folder)
    rows: dict[str, list[Submission]] = defaultdict(list)
    for handed in found:
        person, doubt = roster.find(handed.label, handed.ids, words) if roster else (None, "")
        row = _row(handed, person or _stranger(handed, known=roster is None), lab, keep)
        if roster and person is None:
            row = replace(row, notes=(*row.notes, doubt or "not in the roster"))
        rows[person.key if person else f"\0{handed.label}\0{handed.ids}"].append(row)
    result = [_one(rows.pop(person.key, [])) or Submission(person, problem=NOTHING) for person in
              (roster.people if roster else [])]  # fmt: skip
    for same in rows.values():
        result += [row for row in [_one(same)] if row]
    return _distinct(result, listed=len(roster.people) if roster else 0)


def _stranger(handed: Handed, known: bool) -> Person:
    label = shown(handed.label, 80)
    return Person(label, label, dict(handed.ids), known)


def _row(handed: Handed, person: Person, lab: Lab, keep: Keep) -> Submission:
    row = Submission(person, shown(handed.origin), late=handed.late, when=handed.when)
    try:
        chosen = choose(handed.items(), lab, several="canvas" in handed.ids and len(handed.loads) > 1)
    except Refused as refused:
        return replace(row, problem=refused.sentence())
    digest = digest_of(chosen.data)
    keep(digest, chosen.data)
    alike = digest_of(b"".join(chosen.data.removeprefix(b"\xef\xbb\xbf").split()))
    # A file beside the others, ada.cu, is called after its owner.
    notes = tuple(note for note in chosen.notes if chosen.path != handed.origin or not note.startswith("its name is"))
    return replace(row, path=shown(chosen.path), digest=digest, alike=alike, notes=notes)


def _one(rows: list[Submission]) -> Submission | None:
    """Chooses among several submissions of one person: the newest, if they have dates; any, if they are equal."""
    if len(rows) < 2:
        return rows[0] if rows else None
    dated = sorted(rows, key=lambda row: moment(row.when))
    origins = ", ".join(row.origin for row in rows[:4])
    if all(row.when for row in rows) and moment(dated[-1].when) > moment(dated[-2].when):
        return replace(dated[-1], notes=(*dated[-1].notes, f"the newest of {len(rows)} submissions"))
    good = [row for row in rows if row.digest]
    if len({row.digest for row in good}) == 1 and len(good) == len(rows):
        return replace(good[0], notes=(*good[0].notes, f"handed in {len(rows)} times, the same file: {origins}"))
    problem = f"{len(rows)} submissions of one person ({origins}); leave the one that counts in the folder"
    return replace(rows[0], path="", digest="", problem=problem)


def _distinct(rows: list[Submission], listed: int) -> list[Submission]:
    """Keys are used in tables and commands: no two may be equal. The first, `listed` in the roster, keep theirs."""
    count = Counter(row.person.key.casefold() for row in rows)
    taken = {row.person.key.casefold() for row in rows[:listed]}
    result = rows[:listed]
    for row in rows[listed:]:
        person, number = row.person, 1
        if count[person.key.casefold()] > 1:
            person = replace(person, key=f"{person.key} ({row.origin})")
        while person.key.casefold() in taken:
            number += 1
            person = replace(person, key=f"{row.person.key} ({row.origin}, {number})")
        taken.add(person.key.casefold())
        result.append(replace(row, person=person))
    return result


def class_inside(found: Sequence[Handed], lab: Lab) -> str:
    """The name of the folder that holds the class, if nobody else has handed in a file that can be graded."""
    names = []
    for handed in found:
        try:
            items = handed.items()
            if is_whole_class(items, lab):
                names.append(handed.origin)
            else:
                choose(items, lab)
                return ""
        except Refused:
            continue
    return names[0] if len(names) == 1 else ""
