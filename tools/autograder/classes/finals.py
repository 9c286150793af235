"""Rows of classes and a course file put together: what each student has in each lab, and in the term."""

from __future__ import annotations

import difflib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from autograder.classes.items import shown
from autograder.classes.roster import Person, identifiers
from autograder.classes.rows import Row, rows_of
from autograder.classes.store import DATABASE, Store
from autograder.course.course import Course, parse, read_course
from autograder.course.model import LabEntry
from autograder.course.term import NO_TIME, Asked, TermGrade, Work, term
from autograder.course.values import exact, handed_in
from autograder.errors import UsageError
from autograder.explain.words import counted
from autograder.plan.labs import find
from autograder.plan.manifest import load

_FACT = "course"


@dataclass(frozen=True)
class Terms:
    """The course by person, and what the instructor should look at."""

    people: Mapping[str, Person]
    grades: Mapping[str, TermGrade]
    rows: Mapping[int, Mapping[str, Row]]  # by lab and person
    doubts: Sequence[str] = ()


def course_of(store: Store, root: Path, given: Path | None) -> Course | None:
    """The course file that is named now, or with which the class was graded before; its text is kept with the class."""
    kept = store.fact(_FACT, "")
    if given is None and not kept:
        return None
    path = given or Path(json.loads(kept)["path"])
    if given is None and not path.is_file():
        return parse(path, json.loads(kept)["text"])
    course = read_course(path, root)
    store.set_fact(_FACT, json.dumps({"path": str(course.path), "text": course.text}))
    return course


def with_course(
    course: Course | None, root: Path, lab: int, rows: Sequence[Row]
) -> tuple[Sequence[Row], Sequence[str]]:
    """These rows of a lab with what the course makes of them; and doubts."""
    if course is None:
        return rows, ()
    entry = course.lab(lab)
    terms = all_terms(course, root, {lab: rows})
    made = [replace(row, course=terms.grades[row.key].lab(entry.lab)) for row in rows]
    doubts = [doubt for doubt in terms.doubts if doubt.startswith(f"[[lab]] {lab}:")]
    unknown = sum(row.status == "graded" and row.course is not None and NO_TIME in row.course.why for row in made)
    if unknown:
        some = counted(unknown, "submission")
        doubts.append(f"[[lab]] {lab}: no time is known for {some}: taken as on time, unless handed_in gives one")
    if not course.path.is_file():
        doubts.append(f"{course.path} is gone; its text from the last run was used. Name it again: --course FILE")
    return made, doubts


def all_terms(course: Course, root: Path, known: Mapping[int, Sequence[Row]] | None = None) -> Terms:
    """`known`: rows of labs that are open already; others are read from their folders."""
    known = known or {}
    rows: dict[int, dict[str, Row]] = {}
    for lab in course.file.lab:
        if lab.lab in known:
            rows[lab.lab] = {row.key: row for row in known[lab.lab]}
        elif (found := _read(course, lab)) is not None:
            rows[lab.lab] = {row.key: row for row in found}
    people: dict[str, Person] = {}
    for row in itertools.chain.from_iterable(of_lab.values() for of_lab in rows.values()):
        people.setdefault(row.key, row.submission.person)
    names = Names(people)
    asked, doubts = {}, []
    for lab in course.file.lab:
        asked[lab.lab], more = _asked(course, lab, names)
        doubts += more if lab.lab in rows else []
    most = {number: _maxima(root, number, list(of_lab.values())) for number, of_lab in rows.items()}
    grades = {}
    for key in people:
        works = {number: _work(of_lab.get(key), most[number]) for number, of_lab in rows.items()}
        grades[key] = term(course, works, {number: one[key] for number, one in asked.items() if key in one})
    return Terms(people, grades, rows, doubts)


def _read(course: Course, lab: LabEntry) -> list[Row] | None:
    folder = course.results(lab)
    if folder is None or not folder.exists():
        return None
    if not (folder / DATABASE).is_file():
        raise UsageError(
            f"{course.path}: [[lab]] {lab.lab}: results: {folder} holds no graded class; "
            f"first run: ./grader class … --lab {lab.lab} --out {folder}"
        )
    with Store(folder, create=False, alone=False).opened() as store:
        number = store.fact("lab", str(lab.lab))
        if number != str(lab.lab):
            raise UsageError(f"{course.path}: [[lab]] {lab.lab}: results: {folder} holds results of lab {number}")
        return list(rows_of(store))


class Names:
    """People by what an instructor may call them: the key in grades.csv, login, email, id, name."""

    def __init__(self, people: Mapping[str, Person]) -> None:
        self._by: dict[str, set[str]] = {}
        for key, person in people.items():
            words = set[str]().union(
                *(identifiers(name, person.fields.get(name, "")) for name in ("login", "email", "sid"))
            )
            for word in {key, person.name, *words} - {""}:
                self._by.setdefault(word.casefold(), set()).add(key)

    def find(self, word: str) -> tuple[str, str]:
        """The key of the person, or "" and why nobody matches."""
        found = self._by.get(word.strip().casefold(), set())
        if len(found) == 1:
            return min(found), ""
        if found:
            return "", f"{shown(word)} may be {', '.join(sorted(found)[:4])}"
        close = difflib.get_close_matches(word.casefold(), self._by, 1)
        near = f"; did you mean {min(self._by[close[0]])}?" if close else ""
        return "", f"nobody is called {shown(word)}{near}"


def _asked(course: Course, lab: LabEntry, names: Names) -> tuple[dict[str, Asked], list[str]]:
    found: dict[str, Asked] = {}
    doubts = []
    entries = [
        *(("extensions", word, {"extension": value}) for word, value in lab.extensions.items()),
        *(("handed_in", word, {"when": course.moment(value)}) for word, value in lab.handed_in.items()),
        *(("excused", word, {"excused": True}) for word in lab.excused),
    ]
    for table, word, change in entries:
        key, why = names.find(word)
        if key:
            found[key] = replace(found.get(key, Asked()), **change)  # type: ignore[arg-type]
        else:
            doubts.append(f"[[lab]] {lab.lab}: {table}: {why}")
    return found, doubts


def _maxima(root: Path, lab: int, rows: Sequence[Row]) -> tuple[Fraction, Fraction]:
    """The maximum of core and bonus tasks: as graded, or from the lab if nobody was graded."""
    for row in rows:
        if row.tasks:
            return _sums(row, "of")
    tasks = load(find(root, str(lab))).task
    core = sum((exact(task.points) for task in tasks if task.core), Fraction(0))
    return core, sum((exact(task.points) for task in tasks), Fraction(0)) - core


def _sums(row: Row, field: str) -> tuple[Fraction, Fraction]:
    core = sum((exact(task[field]) for task in row.tasks if task["core"]), Fraction(0))
    return core, sum((exact(task[field]) for task in row.tasks), Fraction(0)) - core


def _work(row: Row | None, most: tuple[Fraction, Fraction]) -> Work:
    if row is None:
        return Work("missing", core_of=most[0], bonus_of=most[1])
    one = row.submission
    core, bonus = _sums(row, "points") if row.status == "graded" else (Fraction(0), Fraction(0))
    of = _sums(row, "of") if row.tasks else most
    return Work(row.status, core, bonus, *of, handed_in(one.when) if one.when else None, one.late, row.why)
