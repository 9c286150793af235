"""Why a task has its verdict, as data: made once, in explain/ and timing/, and shown by report/."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from autograder.cause.causes import Cause
from autograder.run.protocol import Finding

NOT_KNOWN = "the cause is not known"  # nothing was found, and no experiment proved it


class WrongElement(msgspec.Struct, frozen=True):
    """One wrong element. Values are text, so that 64-bit integers and NaN survive JSON."""

    index: int
    expected: str
    got: str
    owner: str = ""  # who wrote it last: "thread 3 of block 2, scan.cu:41", "nobody wrote it"; "": not known
    written: bool = True  # false: it holds what was there before the call
    place: str = ""  # in a matrix or image: "row 3, column 5"
    name: str = ""  # of an array of classes: "[2].x", behind the array's name; "": by its index


class Picture(msgspec.Struct, frozen=True):
    """Which elements are wrong, as a strip or, with `width`, an image: a character for each cell.

    "." all are right, "-" some are wrong, "x" all are wrong, "u" all are wrong because they were never written.
    """

    cells: str
    elements: int = 1  # in a cell: next to each other; in an image, a square with this edge
    width: int = 0  # cells in a row of the image; 0: it is a strip
    block: int = 0  # elements that one block owns, as far as the launches show; 0: not known
    n: int = 0  # of the call that it shows: the failing one, or a larger one if that is too small
    variant: str = ""


class Values(msgspec.Struct, frozen=True):
    """An array of a small call. Its values are text, as those of a WrongElement."""

    name: str
    values: tuple[str, ...]


class Failure(msgspec.Struct, frozen=True):
    """The smallest call that failed."""

    n: int
    variant: str
    seed: int  # of the data, as `build/labN --seed` takes it
    schedule: int
    output: str = ""
    wrong: int = 0
    of: int = 0
    elements: tuple[WrongElement, ...] = ()
    worst_error: float | None = None
    tolerance: float | None = None
    picture: Picture | None = None
    inputs: tuple[Values, ...] = ()  # these three of a small call only, and in full
    expected: tuple[str, ...] = ()
    got: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """What the report says about a task."""

    reason: str = ""  # one line
    details: tuple[str, ...] = ()
    kind: str = ""  # of the proved cause; else of the first finding; else ""
    where: str = ""  # file:line
    failure: Failure | None = None
    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    cause: Cause | None = None  # proved by experiments
