"""The command `course`: the table of a term over several results folders, and the arithmetic behind each number."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.classes.finals import Terms, all_terms
from autograder.classes.items import shown
from autograder.classes.roster import Person
from autograder.classes.tables import canvas_text, course, csv_text, encode
from autograder.course.course import Course, read_course
from autograder.course.model import Rounding
from autograder.course.term import LabGrade, TermGrade, rounded
from autograder.course.values import long, plain
from autograder.errors import UsageError
from autograder.files import write_saving
from autograder.plain import clean

SCHEMA = "cuda-labs/course/v1"
_MARK = {"dropped": "dropped", "excused": "excused", "undecided": "?", "not graded": "-"}


def run_term(root: Path, path: Path, student: str, form: str, to: Path | None, title: str, people: Console) -> str:
    """Shows the term, or one student's part; with a format, returns the text to print."""
    if form and form not in FORMATS:
        raise UsageError(f"--export {form}: choose from: {', '.join(FORMATS)}")
    if to is not None and not form:
        raise UsageError(f"--out {to}: of which format? Add --export {' or --export '.join(FORMATS)}")
    read = read_course(path, root)
    terms = all_terms(read, root)
    if not terms.people:
        raise UsageError(f"{path}: no lab is graded yet; ./grader class … --course {path} grades one into `results`")
    if student:
        terms = _only(terms, student)
    if form:
        return _exported(FORMATS[form](read, terms, title or read.file.course or "Total"), to, len(terms.people))
    if student:
        for key in terms.people:
            show_student(people, read, terms, key)
    else:
        show_term(people, read, terms)
    return ""


def _only(terms: Terms, name: str) -> Terms:
    low = name.strip().casefold()
    found = [key for key, one in terms.people.items() if low in (key.casefold(), one.name.casefold())]
    if len(found) != 1:
        near = difflib.get_close_matches(low, [key.casefold() for key in terms.people], 3)
        more = f"; did you mean {', '.join(near)}?" if near else ""
        many = f"{len(found)} people are" if found else "nobody is"
        raise UsageError(f"{many} called {shown(name)!r}{more}")
    return Terms({found[0]: terms.people[found[0]]}, terms.grades, terms.rows, ())


def _exported(text: str, to: Path | None, number: int) -> str:
    if to is None:
        return text.rstrip("\n")
    try:
        saved = write_saving(to, text.encode())
    except OSError as error:
        raise UsageError(f"--out {to}: {error.strerror}") from None
    return f"{to}: {number} people{saved}"


def show_term(out: Console, read: Course, terms: Terms) -> None:
    """One line for each student; then what is doubtful or undecided."""
    file = read.file
    table = Table(box=None, pad_edge=False, title=Text(clean(file.course, 80)) if file.course else None,
                  title_justify="left")  # fmt: skip
    table.add_column("person")
    for lab in file.lab:
        table.add_column(f"lab {lab.lab}", justify="right")
    if file.free.days:
        table.add_column("free days left", justify="right")
    table.add_column("total", justify="right")
    for key, grade in _sorted(terms):
        left = [str(grade.free_days_left)] if file.free.days else []
        total = "?" if grade.total is None else plain(grade.total)
        table.add_row(*(Text(clean(text, 60).replace("\n", " ")) for text in
                        (key, *(short(one) for one in grade.labs), *left, total)))  # fmt: skip
    out.print(table)
    totals = [grade.total for grade in terms.grades.values() if grade.total is not None]
    if totals:
        mean = plain(rounded(sum(totals, Fraction(0)) / len(totals), Rounding()))
        out.print(Text(f"\n  {len(terms.people)} people, mean total {mean} of {plain(Fraction(file.total.of))}"
                       "; in brackets: lost by lateness"))  # fmt: skip
    doubts = [*(("the course file", doubt) for doubt in terms.doubts), *_undecided(terms)]
    for who, why in doubts:
        out.print(Text(clean(f"  {who}: {why}", 400).replace("\n", " ")), soft_wrap=True)
    out.print(Text(f"  one student's arithmetic: ./grader course {read.path} --student NAME"), soft_wrap=True)


def _sorted(terms: Terms) -> list[tuple[str, TermGrade]]:
    """The people in the order of the rosters."""
    return [(key, terms.grades[key]) for key in terms.people]


def _undecided(terms: Terms) -> list[tuple[str, str]]:
    return [
        (key, f"lab {one.lab}: {one.why[-1]}")
        for key, grade in _sorted(terms) for one in grade.labs if one.state == "undecided"
    ]  # fmt: skip


def short(one: LabGrade) -> str:
    """A lab in a cell: 79.4 (-8.8), with what else there is to know."""
    if one.state in ("undecided", "not graded", "excused"):
        return _MARK[one.state]
    lost = f" (-{plain(one.lost, 2)})" if one.lost else ""
    return f"{plain(one.final)}{lost}" + (" dropped" if one.state == "dropped" else "")


def show_student(out: Console, read: Course, terms: Terms, key: str) -> None:
    """How each number of one student came about."""
    grade, person = terms.grades[key], terms.people[key]
    name = f" ({person.name})" if person.name != key else ""
    out.print(Text(clean(f"{key}{name}", 200)))
    for lab, one in zip(read.file.lab, grade.labs, strict=True):
        state = f", {one.state}" if one.state != "counts" else ""
        final = f": {plain(one.final)} of {plain(one.of)}" if one.state in ("counts", "dropped") else ""
        weight = f", weight {plain(one.weight)}" if any(other.weight != 1 for other in read.file.lab) else ""
        out.print(Text(f"\n  lab {lab.lab}{final}{state}{weight}"))
        row = terms.rows.get(lab.lab, {}).get(key)
        tasks = [f"{task['name']} {task['points']:g}{'' if task['core'] else ' (bonus)'}" for task in row.tasks] \
            if row else []  # fmt: skip
        if tasks:
            out.print(Text(clean(f"    tasks: {', '.join(tasks)}", 1000)), soft_wrap=True)
        for why in one.why:
            out.print(Text(clean(f"    {why}", 500).replace("\n", " ")), soft_wrap=True)
    total = "none yet" if grade.total is None else f"{plain(grade.total)} of {plain(Fraction(read.file.total.of))}"
    out.print(Text(f"\n  total: {total}"))
    for why in grade.why:
        out.print(Text(f"    {why}"), soft_wrap=True)
    if read.file.free.days:
        out.print(Text(f"    free late days left: {grade.free_days_left} of {read.file.free.days}"))


def as_csv(read: Course, terms: Terms, title: str) -> str:
    """All numbers with their reasons."""
    heading = ["person", "name", "email", "id", "section"]
    for lab in read.file.lab:
        heading += [f"lab{lab.lab}_{word}" for word in ("state", "points", "lost", "final", "of", "late", "why")]
    lines: list[list[object]] = [[*heading, "free_days_left", "total", "why"]]
    for key, grade in _sorted(terms):
        person = terms.people[key]
        cells: list[object] = [key, person.name, *(person.fields.get(name, "") for name in ("email", "sid", "section"))]
        for one in grade.labs:
            number = one.state in ("counts", "dropped")
            cells += [one.state, *(_number(value) if number else "" for value in (one.points, one.lost, one.final)),
                      _number(one.of) if one.of else "", long(one.late) if one.late else "",
                      "; ".join(one.why)]  # fmt: skip
        total = "" if grade.total is None else _number(grade.total)
        lines.append([*cells, grade.free_days_left if read.file.free.days else "", total, "; ".join(grade.why)])
    return csv_text(lines)


def _number(value: Fraction) -> str:
    """A number, exact up to six digits, never with an exponent."""
    return plain(value, 6).rstrip("…")


def as_json(read: Course, terms: Terms, title: str) -> str:
    """The same for programs."""
    people = [
        {
            "person": {"key": key, "name": terms.people[key].name, **terms.people[key].fields},
            "total": None if grade.total is None else float(grade.total),
            "free_days_left": grade.free_days_left,
            "why": list(grade.why),
            "labs": [{"lab": one.lab, "weight": float(one.weight), **course(one)} for one in grade.labs],
        }
        for key, grade in _sorted(terms)
    ]
    whole = {"schema": SCHEMA, "course": read.file.course, "of": float(read.file.total.of), "people": people}
    return encode(whole).decode()


def as_canvas(read: Course, terms: Terms, title: str) -> str:
    """A column with the total, for Canvas' gradebook."""
    return canvas_text(title, _number(Fraction(read.file.total.of)), _known(terms))


def as_moodle(read: Course, terms: Terms, title: str) -> str:
    """The total for Moodle's import of grades, which finds people by email or id number."""
    lines: list[list[object]] = [["Full name", "Email address", "ID number", title]]
    for person, total in _known(terms):
        lines.append([person.name, person.fields.get("email", ""), person.fields.get("sid", ""), total])
    return csv_text(lines)


def _known(terms: Terms) -> list[tuple[Person, str]]:
    found = []
    for key, grade in _sorted(terms):
        if terms.people[key].known:
            found.append((terms.people[key], "" if grade.total is None else _number(grade.total)))
    return found


FORMATS: dict[str, Callable[[Course, Terms, str], str]] = {
    "csv": as_csv,
    "json": as_json,
    "canvas": as_canvas,
    "moodle": as_moodle,
}
