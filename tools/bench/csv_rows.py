"""Rows of a CSV file, whose columns are the fields of a dataclass."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")


def write_csv(kind: type[Row], rows: Iterable[Row], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(kind)])
        writer.writerows(astuple(row) for row in rows)


def read_csv(kind: type[Row], path: Path) -> list[Row]:
    """Raises msgspec.ValidationError where a cell is not of its field's type."""
    with path.open(newline="") as file:
        return [msgspec.convert(line, kind, strict=False) for line in csv.DictReader(file)]
