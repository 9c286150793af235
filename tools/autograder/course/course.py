"""Reads and checks a course file. Every error names the file, the key and what is allowed."""

from __future__ import annotations

import re
import tomllib
import types
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from autograder.course.model import Bonus, CourseFile, LabEntry, Late, Private
from autograder.course.values import Extension, Moment, Number, Span, size
from autograder.errors import UsageError
from autograder.plan.labs import suggest

MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class Course:
    """A course file and its path, to which the paths of results and input files are relative."""

    path: Path
    text: str
    file: CourseFile
    zone: ZoneInfo

    def lab(self, number: int) -> LabEntry:
        for lab in self.file.lab:
            if lab.lab == number:
                return lab
        known = ", ".join(str(lab.lab) for lab in self.file.lab)
        raise UsageError(f"{self.path}: has no [[lab]] with lab = {number}; it has: {known}")

    def late(self, lab: LabEntry) -> Late | None:
        return lab.late or self.file.late

    def bonus(self, lab: LabEntry) -> Bonus:
        return lab.bonus or self.file.bonus

    def results(self, lab: LabEntry) -> Path | None:
        return self.beside(lab.results) if lab.results else None

    def beside(self, name: str) -> Path:
        """A path in the file, relative to the file's folder."""
        return self.path.parent / Path(name).expanduser()

    def moment(self, moment: Moment) -> datetime:
        return moment.time if moment.time.tzinfo else moment.time.replace(tzinfo=self.zone)

    def deadline(self, lab: LabEntry, extension: Extension | None) -> datetime | None:
        """One student's deadline; without one, nothing is late."""
        if extension and extension.until:
            return self.moment(extension.until)
        if lab.deadline is None:
            return None
        due = self.moment(lab.deadline)
        if extension is None or extension.longer is None:
            return due
        # Days by the local clock, across changes to and from summer time; then hours.
        days, rest = divmod(extension.longer.seconds, 86400)
        return (due + timedelta(days=int(days))).astimezone(UTC) + timedelta(seconds=float(rest))


def read_course(path: Path, root: Path) -> Course:
    """Raises UsageError for a file that is missing, in the repository, or wrong."""
    where = path.resolve()
    if where.is_relative_to(root.resolve()):
        raise UsageError(
            f"--course {path}: lies in the repository, where it could be committed or handed out; "
            f"move it out: mv {path} {root.resolve().parent}/"
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"--course {path}: {error.strerror}; docs/course-file.md has one to start from") from None
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path}: is larger than 4 MB: not a course file")
    try:
        return parse(where, data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8") from None


def parse(path: Path, text: str) -> Course:
    """A course file's text; `path` is where the file is, or was."""
    try:
        values = tomllib.loads(text, parse_float=_number)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from None
    try:
        file = msgspec.convert(values, CourseFile, dec_hook=_value)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {_said(str(error), values)}") from None
    course = Course(path, text, file, _zone(path, file.time_zone))
    _check(course, path)
    return course


def _number(text: str) -> Decimal:
    number = Decimal(text)
    if not number.is_finite():
        raise ValueError(f"{text} is not a number that can be counted with")
    return number


def _value(kind: type, value: Any) -> Any:
    assert issubclass(kind, Number | Span | Moment | Extension)
    return kind.read(value)


def _zone(path: Path, name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            f"{path}: time_zone: {name!r} is not known here; write one such as America/Los_Angeles, or UTC"
        ) from None


def _said(message: str, values: Mapping[str, Any]) -> str:
    """msgspec's sentence with the key as people write it, and what is allowed there."""
    found = re.fullmatch(r"(?s)(.*?)(?: - at (?:`(.*?)`|(.*)))?", message)
    said, at = (found[1], found[2] or "") if found else (message, "")
    steps = re.findall(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]", at)
    key = ".".join(name or number for name, number in steps)
    unknown = re.match(r"Object contains unknown field `(.*)`", said)
    if unknown:
        return f"{_key(steps, values, unknown[1])}: no such key{suggest(unknown[1], _allowed(steps))}"
    missing = re.match(r"Object missing required field `(.*)`", said)
    if missing:
        return f"{_key(steps, values, missing[1])}: is missing"
    if said.startswith("Invalid enum value"):
        said += f"; choose from: {', '.join(_choices(steps))}"
    plain = said.replace("`", "").replace("decimal", "a number").replace("Expected ", "expected ")
    return f"{_key(steps, values, '')}: {plain}" if key else plain


def _key(steps: list[tuple[str, str]], values: Any, last: str) -> str:
    """lab[0].late.percent as `[[lab]] 3: late.percent`."""
    words: list[str] = []
    at: Any = values
    lead = ""
    for name, number in steps:
        at = _into(at, name or number)
        if number and words == ["lab"] and isinstance(at, dict):
            lead = f"[[lab]] {at.get('lab', int(number) + 1)}: "
            words = []
        elif number == "...":  # an entry of a table with free names: the message has its value
            continue
        elif number and words:
            words[-1] += f" {at['name']!r}" if isinstance(at, dict) and "name" in at else f"[{int(number) + 1}]"
        else:
            words.append(name)
    return lead + ".".join([*words, *([last] if last else [])])


def _into(at: Any, step: str) -> Any:
    try:
        return at[int(step)] if isinstance(at, list) else at[step]
    except (KeyError, IndexError, ValueError, TypeError):
        return None


def _allowed(steps: list[tuple[str, str]]) -> list[str]:
    """The keys of the table at this place."""
    kind: Any = CourseFile
    for name, _ in steps:
        if name:
            kind = _table(get_type_hints(kind).get(name)) if kind else None
    return list(kind.__struct_fields__) if kind else []


def _choices(steps: list[tuple[str, str]]) -> list[str]:
    """The words that a key may have."""
    kind: Any = CourseFile
    for name, _ in steps[:-1]:
        if name:
            kind = _table(get_type_hints(kind).get(name)) if kind else None
    return [str(one) for one in get_args(get_type_hints(kind).get(steps[-1][0]))] if kind and steps else []


def _table(kind: Any) -> Any:
    """The table in a type such as list[LabEntry] or Late | None."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    inside = get_args(kind) if get_origin(kind) in (list, Union, types.UnionType) or get_args(kind) else ()
    return next((found for one in inside if (found := _table(one))), None)


def _check(course: Course, path: Path) -> None:
    """Checks that involve several keys."""
    seen: set[int] = set()
    for lab in course.file.lab:
        at = f"{path}: [[lab]] {lab.lab}"
        if lab.lab in seen:
            raise UsageError(f"{at}: is there twice")
        seen.add(lab.lab)
        if lab.extensions and lab.deadline is None and any(one.longer for one in lab.extensions.values()):
            raise UsageError(f"{at}: extensions: are longer than what? add a deadline")
        if lab.late:
            check_late(lab.late, f"{at}: late")
        for private in lab.private:
            _check_private(private, f"{at}: private {private.name!r}")
        names = [one.name for one in lab.private]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"{at}: private {twice!r} is there twice; give each set its own name")
    if course.file.late:
        check_late(course.file.late, f"{path}: late")
    if all(lab.weight == 0 for lab in course.file.lab):
        raise UsageError(f"{path}: weight is 0 in each lab: nothing counts")
    if course.file.drop.lowest >= len(course.file.lab):
        raise UsageError(
            f"{path}: drop.lowest = {course.file.drop.lowest} drops all of {len(course.file.lab)} labs; "
            f"at most {len(course.file.lab) - 1}. List the other labs of the term as well: "
            "one whose results folder is not there yet counts as not graded yet"
        )


def check_late(late: Late, at: str) -> None:
    if (late.percent is None) == (not late.steps):
        raise UsageError(f'{at}: give either percent (for each day or hour) or steps, such as '
                         'steps = [{ until = "1 day", percent = 10 }, { until = "3 days", percent = 30 }]')  # fmt: skip
    for one, next_one in zip(late.steps, late.steps[1:], strict=False):
        if next_one.until.seconds <= one.until.seconds or next_one.percent < one.percent:
            raise UsageError(f"{at}.steps: each must be later than the one before, and cost as much or more")


def _check_private(private: Private, at: str) -> None:
    if bool(private.sizes) == bool(private.file):
        raise UsageError(f'{at}: give either sizes, such as [1000003, "2^20 + 1"], or file, such as "rising.npz"')
    for one in private.sizes:
        try:
            size(one)
        except ValueError as error:
            raise UsageError(f"{at}: sizes: {error}") from None
    for seed in private.seeds:
        if not re.fullmatch(r"[0-9a-fA-F]{1,15}", seed):
            raise UsageError(f"{at}: seeds: {seed!r} is not a hexadecimal number of at most 15 digits")
    if private.file and private.seeds:
        raise UsageError(f"{at}: a file needs no seeds")
