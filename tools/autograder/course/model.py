"""The course file as it is written: its tables, keys and what they may hold. docs/course-file.md is its reference."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from autograder.course.values import Above, Cap, Extension, Moment, Percent, Share, Span, Weight

Count = Annotated[int, msgspec.Meta(ge=0)]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file. An unknown key is an error, never ignored."""


class Step(Table, frozen=True):
    """The penalty of a submission that is at most this late."""

    until: Span
    percent: Percent


class Late(Table, frozen=True):
    """The penalty of a late submission: for each day or hour that has begun, or by steps."""

    percent: Percent | None = None
    per: Literal["day", "hour"] = "day"
    steps: list[Step] = []
    of: Literal["points", "maximum"] = "points"
    grace: Span = Span.read("0 s")
    cap: Percent = Percent(100)
    closes: Span | None = None  # later than this, nothing counts


class Free(Table, frozen=True):
    """Late days that cost nothing."""

    days: Count = 0
    most_per_lab: Annotated[int, msgspec.Meta(ge=1)] | None = None


class Bonus(Table, frozen=True):
    """How bonus tasks count, and the most that a lab may give, in % of its maximum."""

    counts: Literal["in", "on top", "no"] = "in"
    cap: Cap | None = None


class Drop(Table, frozen=True):
    lowest: Count = 0


class Rounding(Table, frozen=True):
    digits: Annotated[int, msgspec.Meta(ge=0, le=6)] = 1
    mode: Literal["half up", "half even", "down", "up"] = "half up"


class Total(Table, frozen=True):
    """What the labs add up to."""

    of: Above = Above(100)
    cap: bool = True  # no more than `of`, whatever the bonus is


class Private(Table, frozen=True):
    """Further cases of a lab; docs/course-file.md says what students see of them."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[\w .,+-]{1,60}$")]
    tasks: list[str] = []  # none: all
    sizes: list[int | str] = []
    variants: list[str] = []
    seeds: list[str] = []
    file: str = ""
    weight: Share | None = None  # % of the task's points; none: all or nothing
    show: Literal["verdict", "size", "all"] = "verdict"


class LabEntry(Table, frozen=True):
    """One lab of the course."""

    lab: Annotated[int, msgspec.Meta(ge=1, le=99)]
    results: str = ""
    weight: Weight = Weight(1)
    deadline: Moment | None = None
    extensions: dict[str, Extension] = {}
    handed_in: dict[str, Moment] = {}
    excused: list[str] = []
    droppable: bool = True
    late: Late | None = None
    bonus: Bonus | None = None
    private: list[Private] = []


class CourseFile(Table, frozen=True):
    """The whole file."""

    lab: Annotated[list[LabEntry], msgspec.Meta(min_length=1)]
    course: str = ""
    time_zone: str = "UTC"
    missing: Literal["zero", "excused"] = "zero"
    late: Late | None = None
    free: Free = Free()
    bonus: Bonus = Bonus()
    drop: Drop = Drop()
    rounding: Rounding = Rounding()
    total: Total = Total()
