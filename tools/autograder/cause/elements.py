"""Some elements of an array, told in few words: d_in[256] to d_in[299], row 2 of d_a, every 16th element."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autograder.plan.tables import ArraySpec
from autograder.words import counted, ordinal

MOST = 3  # elements or ranges that are named one by one
LEAST_STEPS = 4  # elements at the same distance that are no accident


@dataclass(frozen=True)
class Elements:
    """Some elements of an array."""

    text: str
    places: int  # how many there are to read; more than MOST: they have no order that a reader would see
    count: int
    some: list[int]  # the first, the last, and one between


def told(mask: npt.NDArray[np.bool_], spec: ArraySpec) -> Elements:
    """The elements where the mask is set. One of several numbers, as a point, is one, if not one number is meant."""
    size = max(len(spec.members), 1)
    if mask.sum() == 1 < size:
        return Elements(one_of(spec, int(mask.argmax())), 1, 1, [int(mask.argmax())])
    indices = np.flatnonzero(mask.reshape(-1, size).any(axis=1) if size > 1 else mask)
    set_ = np.flatnonzero(mask)
    some = [int(set_[at]) for at in dict.fromkeys((0, set_.size - 1, set_.size // 2))] if set_.size else []
    return Elements(*_told(indices, mask.size // size, spec), indices.size, some)


def one_of(spec: ArraySpec, index: int) -> str:
    """One element, as programs name it: `d_out[3]`, `d_points[2].x`."""
    size = max(len(spec.members), 1)
    return f"{spec.name}[{index // size}]" + (f".{spec.members[index % size]}" if size > 1 else "")


def _told(indices: npt.NDArray[np.intp], count: int, spec: ArraySpec) -> tuple[str, int]:
    if indices.size == 0:
        return f"no element of {spec.name}", 1
    if 1 < indices.size == count:
        return f"all of {spec.name}", 1
    if spec.columns > 1 and (part := _rectangle(indices, count // spec.columns, spec)):
        return part, 1
    ends = np.flatnonzero(np.diff(indices) > 1)
    firsts, lasts = indices[[0, *(ends + 1)]], indices[[*ends, -1]]
    if firsts.size <= MOST:
        if indices.size == 1:
            return _with_row(spec, int(indices[0])), 1
        ranges = [range_of(spec, int(a), int(b)) for a, b in zip(firsts, lasts, strict=True)]
        return " and ".join(filter(None, [", ".join(ranges[:-1]), ranges[-1]])), firsts.size
    steps = np.unique(np.diff(indices))
    if steps.size == 1 and indices.size >= LEAST_STEPS:
        return f"every {ordinal(int(steps[0]))} element from {range_of(spec, int(indices[0]), int(indices[-1]))}", 2
    some = ", ".join(f"{spec.name}[{index}]" for index in indices[:MOST])
    return f"{some} and {counted(indices.size - MOST, 'other')}", MOST + 2


def _with_row(spec: ArraySpec, index: int) -> str:
    row = f" (row {index // spec.columns:,}, column {index % spec.columns:,})" if spec.columns > 1 else ""
    return f"{spec.name}[{index}]{row}"


def range_of(spec: ArraySpec, first: int, last: int) -> str:
    """`d_in[256] to d_in[299]`, or one element."""
    return f"{spec.name}[{first}]" + (f" to {spec.name}[{last}]" if last > first else "")


def _rectangle(indices: npt.NDArray[np.intp], height: int, spec: ArraySpec) -> str:
    """Whole rows, or a part of some; "" for another part of a matrix, or for one element."""
    rows, columns = np.unique(indices // spec.columns), np.unique(indices % spec.columns)
    sides = [int(side[-1] - side[0]) + 1 for side in (rows, columns)]
    if indices.size == 1 or indices.size != sides[0] * sides[1]:
        return ""
    parts = [
        _side("row", rows) if sides[0] < height else "",
        _side("column", columns) if sides[1] < spec.columns else "",
    ]
    return f"{', '.join(filter(None, parts))} of {spec.name}"


def _side(name: str, numbers: npt.NDArray[np.intp]) -> str:
    first, last = int(numbers[0]), int(numbers[-1])
    return f"{name} {first:,}" if first == last else f"{name}s {first:,} to {last:,}"
