"""A student's term: each lab's points, what lateness takes, what is dropped, and the weighted total, with reasons.

Everything depends only on one student's submissions and the course file, not on other students.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Literal

from autograder.course.course import Course
from autograder.course.late import penalty
from autograder.course.model import Bonus, LabEntry, Rounding
from autograder.course.values import Extension, between, plain

NO_TIME = "no time is known for it: taken as on time"
State = Literal["counts", "dropped", "excused", "undecided", "not graded"]


@dataclass(frozen=True)
class Work:
    """What one student handed in for one lab, according to its results."""

    status: str  # as of a class: graded, refused, missing, time, fault, waiting
    core: Fraction = Fraction(0)
    bonus: Fraction = Fraction(0)
    core_of: Fraction = Fraction(0)
    bonus_of: Fraction = Fraction(0)
    when: datetime | None = None
    marked_late: bool = False  # the platform says so
    why: str = ""


@dataclass(frozen=True)
class Asked:
    """What the course file says about one student in one lab."""

    extension: Extension | None = None
    when: datetime | None = None
    excused: bool = False


@dataclass(frozen=True)
class LabGrade:
    """One lab of one student. `points` are before lateness, `final` after it and rounded."""

    lab: int
    state: State
    of: Fraction = Fraction(0)
    points: Fraction = Fraction(0)
    lost: Fraction = Fraction(0)
    final: Fraction = Fraction(0)
    weight: Fraction = Fraction(1)
    late: Fraction = Fraction(0)  # seconds after this student's deadline
    free_days: int = 0
    why: tuple[str, ...] = ()

    @property
    def share(self) -> Fraction:
        return self.final / self.of if self.of else Fraction(0)


@dataclass(frozen=True)
class TermGrade:
    """All labs of one student. `total` is None while a lab is undecided, or none is graded."""

    labs: tuple[LabGrade, ...]
    total: Fraction | None
    free_days_left: int
    why: tuple[str, ...] = ()

    def lab(self, number: int) -> LabGrade | None:
        return next((one for one in self.labs if one.lab == number), None)


def term(course: Course, works: Mapping[int, Work | None], asked: Mapping[int, Asked]) -> TermGrade:
    """`works`: by lab, None where the student is not in that lab's results; labs without results are left out."""
    file = course.file
    left = file.free.days
    graded: dict[int, LabGrade] = {}
    for lab in sorted(file.lab, key=lambda one: (_due(course, one), one.lab)):  # free days are used in this order
        if lab.lab not in works:
            graded[lab.lab] = LabGrade(lab.lab, "not graded", weight=lab.weight, why=("no results yet",))
            continue
        free = min(left, file.free.most_per_lab or left)
        one = _lab(course, lab, works[lab.lab] or Work("missing"), asked.get(lab.lab, Asked()), free)
        graded[lab.lab] = one
        left -= one.free_days
    labs = _dropped([graded[lab.lab] for lab in file.lab], course)
    total, why = _total(labs, course)
    return TermGrade(tuple(labs), total, left, why)


def _due(course: Course, lab: LabEntry) -> datetime:
    return course.moment(lab.deadline).astimezone(UTC) if lab.deadline else datetime.max.replace(tzinfo=UTC)


def _lab(course: Course, lab: LabEntry, work: Work, asked: Asked, free_days: int) -> LabGrade:
    grade = LabGrade(lab.lab, "counts", weight=lab.weight, of=work.core_of + work.bonus_of)
    if asked.excused:
        return replace(grade, state="excused", why=("excused by the course file",))
    if work.status == "missing" and course.file.missing == "excused":
        return replace(grade, state="excused", why=("nothing handed in, which the course file excuses",))
    if work.status in ("fault", "waiting"):
        return replace(grade, state="undecided", why=(work.why or "not graded yet",))
    if work.status != "graded":
        of = _most(course.bonus(lab), work)
        return replace(grade, of=of, why=(f"0 points: {work.why or 'nothing handed in'}",))
    points, of, said = _with_bonus(course.bonus(lab), work)
    return _after_lateness(course, lab, replace(grade, points=points, of=of, why=said), work, asked, free_days)


def _most(rule: Bonus, work: Work) -> Fraction:
    return work.core_of + (work.bonus_of if rule.counts == "in" else 0)


def _with_bonus(rule: Bonus, work: Work) -> tuple[Fraction, Fraction, tuple[str, ...]]:
    """Points, the maximum, and how they were computed."""
    of = _most(rule, work)
    points = work.core + (work.bonus if rule.counts != "no" else 0)
    said = [f"core {plain(work.core)} of {plain(work.core_of)}"]
    if work.bonus_of:
        counts = {"in": "", "on top": ", on top", "no": ", which does not count"}[rule.counts]
        said.append(f"bonus {plain(work.bonus)} of {plain(work.bonus_of)}{counts}")
    so = f": {plain(points)} of {plain(of)}" if work.bonus_of else ""
    lines = [f"{' + '.join(said)}{so}"]
    cap = rule.cap / 100 * of if rule.cap is not None else None
    if cap is not None and points > cap:
        points = cap
        lines.append(f"at most {plain(rule.cap or Fraction(0))} % of {plain(of)}: {plain(points)}")
    return points, of, tuple(lines)


def _after_lateness(
    course: Course, lab: LabEntry, grade: LabGrade, work: Work, asked: Asked, free_days: int
) -> LabGrade:
    rule, due, when = course.late(lab), course.deadline(lab, asked.extension), asked.when or work.when
    if rule and work.marked_late and (when is None or due is None):
        missing = f"handed_in of [[lab]] {lab.lab}" if when is None else f"deadline of [[lab]] {lab.lab}"
        said = f"late, as the platform says, but not by how much: {missing} in the course file settles it"
        return replace(grade, state="undecided", why=(*grade.why, said))
    late = max(Fraction(0), between(due, when)) if due and when else Fraction(0)
    notes = []
    if due and (late or asked.extension):
        extended = " with the extension" if asked.extension else ""
        came = f", handed in {_clock(course, when)}" if when else ""
        notes.append(f"due {_clock(course, due)}{extended}{came}")
    found = penalty(rule, late, free_days if grade.points > 0 else 0) if rule else None
    lost = Fraction(0)
    if found and found.why:
        of = grade.points if rule is None or rule.of == "points" else grade.of
        lost = min(grade.points, of * found.percent / 100)
        notes.append(found.why)
        if lost:
            notes.append(f"{plain(grade.points)} - {plain(found.percent)} % of {plain(of)} = "
                         f"{plain(grade.points - lost)}")  # fmt: skip
    elif rule and due and when is None:
        notes.append(NO_TIME)
    final = rounded(grade.points - lost, course.file.rounding)
    if final != grade.points - lost:
        notes.append(f"rounded {course.file.rounding.mode}: {plain(final)}")
    used = found.free_days if found else 0
    return replace(grade, lost=lost, final=final, late=late, free_days=used, why=(*grade.why, *notes))


def _clock(course: Course, time: datetime) -> str:
    return f"{time.astimezone(course.zone):%Y-%m-%d %H:%M:%S}".removesuffix(":00")


def rounded(value: Fraction, rule: Rounding) -> Fraction:
    """Rounds exactly; for numbers of 0 or more."""
    scaled = value * 10**rule.digits
    low = math.floor(scaled)
    rest = scaled - low
    up = {
        "half up": rest >= Fraction(1, 2),
        "half even": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1),
        "down": False,
        "up": rest > 0,
    }[rule.mode]
    return Fraction(low + up, 10**rule.digits)


def _dropped(labs: Sequence[LabGrade], course: Course) -> list[LabGrade]:
    """The labs without the dropped ones. A lab is dropped only if that does not lower the total; one is always left."""
    droppable = {lab.lab for lab in course.file.lab if lab.droppable and lab.weight > 0}
    result = list(labs)
    for _ in range(course.file.drop.lowest):
        counted = [one for one in result if one.state == "counts" and one.weight > 0]
        candidates = [one for one in counted if one.lab in droppable]
        if len(counted) < 2 or not candidates:
            break
        lowest = min(candidates, key=lambda one: one.share)
        if lowest.share > _mean(counted):
            break
        why = (*lowest.why, "dropped: the lowest share of its maximum")
        result[result.index(lowest)] = replace(lowest, state="dropped", why=why)
    return result


def _mean(labs: Sequence[LabGrade]) -> Fraction:
    return sum((one.share * one.weight for one in labs), Fraction(0)) / sum(one.weight for one in labs)


def _total(labs: Sequence[LabGrade], course: Course) -> tuple[Fraction | None, tuple[str, ...]]:
    open_labs = [str(one.lab) for one in labs if one.state == "undecided" and one.weight > 0]
    if open_labs:
        return None, (f"no total before this is decided: lab {', '.join(open_labs)}",)
    counted = [one for one in labs if one.state == "counts" and one.weight > 0]
    if not counted:
        return None, ("no lab counts yet",)
    file = course.file
    of, weights = file.total.of, sum(one.weight for one in counted)
    parts = " + ".join(f"{plain(one.final)}/{plain(one.of)} x {plain(one.weight)}" for one in counted)
    total = _mean(counted) * of
    lines = [f"({parts}) / {plain(Fraction(weights))} x {plain(of)} = {plain(total)}"]
    if file.total.cap and total > of:
        total = of
        lines.append(f"at most {plain(of)}")
    final = rounded(total, file.rounding)
    if final != total:
        lines.append(f"rounded {file.rounding.mode}: {plain(final)}")
    return final, tuple(lines)
