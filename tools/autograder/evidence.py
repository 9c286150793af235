"""One wrong output, as the rules of patterns.py and single.py look at it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Pattern:
    """A name from the list in patterns.py, and a sentence about this case."""

    name: str
    sentence: str


@dataclass(frozen=True)
class Errors:
    """One wrong output: the evidence."""

    n: int
    wrong: Mask
    expected: Array
    got: Array
    poisoned: Mask
    block: int = 0  # threads of a block, 0 if not known
    input: Array | None = None  # the first input, for results of one element
    operator: str = ""  # "sum", "max" or "min", where the variant names one
    width: int = 0  # of an image, whose pixels the elements are, row by row; 0: there is none
    rows: npt.NDArray[np.int64] | None = None  # how many nonzeros the matrix row of each element has

    @property
    def count(self) -> int:
        return int(self.wrong.size)

    @property
    def extreme(self) -> bool:
        """Whether a maximum or minimum is asked for: then nothing can be learnt from differences."""
        return self.operator in ("max", "min")


def operator_of(variant: str) -> str:
    """The operator in a variant's name: exclusive_max_int32 has "max"."""
    return next((word for word in variant.split("_") if word in ("sum", "max", "min")), "")


def number(value: np.generic) -> str:
    """As it is, not rounded: the last bits may matter."""
    if value.dtype.kind == "f":
        return f"{float(value):.9g}" if value.dtype.itemsize == 4 else f"{float(value):.17g}"
    return f"{int(value):,}"


def counted(count: int, noun: str) -> str:
    """1 value, 2 values."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def part(some: int, count: int, noun: str) -> str:
    """3 of 1,025 values are."""
    return f"{some:,} of {counted(count, noun)} {'is' if some == 1 else 'are'}"
