"""The file of private cases as an instructor writes it: docs/class.md describes it.

Every error names the file, the set, the key and what is allowed.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

import msgspec

from autograder.arguments import size_of
from autograder.errors import UsageError
from autograder.plan.labs import suggest
from autograder.plan.outside import refuse_inside
from autograder.plan.private_cases import Show

MOST_BYTES = 4 << 20
MOST_SIZE = 1 << 62


class Cases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table [[cases]]: cases that belong together."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[\w .,+-]{1,60}\Z")]
    tasks: list[str] = []  # none: all
    sizes: list[int | str] = []
    variants: list[str] = []
    seeds: list[str] = []
    file: str = ""
    weight: Annotated[float, msgspec.Meta(gt=0, le=100)] | None = None  # % of the task's points; none: all or nothing
    show: Show = "verdict"


class _Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as it is written."""

    lab: int
    cases: list[dict[str, object]] = []


@dataclass(frozen=True)
class PrivateFile:
    """The file and its path, to which the paths of inputs are relative."""

    path: Path
    root: Path  # of the repository, which students read
    lab: int
    cases: tuple[Cases, ...]

    def at(self, one: Cases) -> str:
        return f"{self.path}: cases {one.name!r}"


def read_file(path: Path, root: Path, lab: int) -> PrivateFile:
    """Raises UsageError for a file that is missing, in the repository, of another lab, or wrong."""
    refuse_inside(path, root, f"--private {path}")
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"--private {path}: {error.strerror}; docs/class.md has one to start from") from None
    if len(data) > MOST_BYTES:
        raise UsageError(f"--private {path}: is larger than 4 MB: not a file of private cases")
    try:
        tables = msgspec.convert(tomllib.loads(data.decode("utf-8-sig")), _Tables)
    except msgspec.ValidationError as error:
        raise UsageError(f"--private {path}: {_said(error, _Tables)}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--private {path}: not UTF-8") from None
    except (ValueError, RecursionError) as error:  # also for a number of thousands of digits
        raise UsageError(f"--private {path}: not TOML: {error}") from None
    if tables.lab != lab:
        raise UsageError(f"--private {path}: is for lab {tables.lab}, not for lab {lab}")
    made = PrivateFile(path, root, lab, tuple(_cases(path, number, one) for number, one in enumerate(tables.cases, 1)))
    names = [one.name for one in made.cases]
    for one in made.cases:
        if names.count(one.name) > 1:
            raise UsageError(f"{made.at(one)}: is there twice; give each its own name")
        _check(one, made.at(one))
    return made


def _cases(path: Path, number: int, table: dict[str, object]) -> Cases:
    try:
        return msgspec.convert(table, Cases)
    except msgspec.ValidationError as error:
        name = table.get("name", "")
        raise UsageError(f"{path}: cases {name if name and isinstance(name, str) else number!r}: "
                         f"{_said(error, Cases)}") from None  # fmt: skip


def _said(error: msgspec.ValidationError, table: type[msgspec.Struct]) -> str:
    """msgspec's sentence, with the key in front, as people write it."""
    said, _, at = str(error).partition(" - at ")
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", said):
        return f"{unknown[1]}: no such key{suggest(unknown[1], table.__struct_fields__)}"
    if missing := re.fullmatch(r"Object missing required field `(.*)`", said):
        return f"{missing[1]}: is missing"
    key = at.strip("`").removeprefix("$.")
    if said.startswith("Invalid enum value"):
        said += f"; choose from: {', '.join(get_args(Show))}"
    return f"{key}: {said.replace('`', '')}" if key else said


def _check(one: Cases, at: str) -> None:
    if bool(one.sizes) == bool(one.file):
        raise UsageError(f'{at}: give either sizes, such as [1000003, "2^20 + 1"], or file, such as "rising.npz"')
    for seed in one.seeds:
        if not re.fullmatch(r"[0-9a-fA-F]{1,15}", seed):
            raise UsageError(f"{at}: seeds: {seed!r} is not a hexadecimal number of at most 15 digits")
    if one.file and one.seeds:
        raise UsageError(f"{at}: a file needs no seeds")
    for value in one.sizes:
        size(value, at)


def size(value: int | str, at: str) -> int:
    """A number of elements: 1000, "2^20 + 1", "1e6"."""
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(.*?)\s*(?:([+-])\s*(\d{1,12}))?\s*", value)
        first, sign, second = found.groups() if found else ("", "", "")
        n = (size_of(f"{at}: sizes", first or value) or 0) + int(f"{sign or ''}{second or 0}")
    else:
        n = value
    if not 0 <= n <= MOST_SIZE:
        raise UsageError(f"{at}: sizes: {value!r} is {'less than 0' if n < 0 else 'too large'}")
    return n
