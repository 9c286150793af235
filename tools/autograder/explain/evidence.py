"""One wrong output, as the rules of patterns.py and single.py look at it."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    pairs: bool = False  # an element is two neighbouring numbers, such as a key and its value
    packed: bool = False  # and each pair is one number of twice the width here
    kind: str = "i"  # of the numbers of a packed pair: "i", "u", "f"

    @property
    def count(self) -> int:
        return int(self.wrong.size)

    @property
    def noun(self) -> str:
        return "element" if self.packed else "value"

    def by_element(self) -> Errors:
        """Pairs as one number each, so that places and counts are those of elements, and equal means both are equal."""
        if not self.pairs or self.packed or self.got.dtype.itemsize != 4:
            return self
        given = self.input
        return replace(
            self,
            wrong=self.wrong[::2] | self.wrong[1::2],
            expected=packed(self.expected),
            got=packed(self.got),
            poisoned=self.poisoned[::2] & self.poisoned[1::2],
            input=packed(given) if given is not None and given.size == self.got.size else None,
            packed=True,
            kind=self.got.dtype.kind,
        )

    def text(self, value: np.generic) -> str:
        """A number or pair as people read it."""
        if not self.packed:
            return number(value)
        kind = {"i": np.int32, "u": np.uint32, "f": np.float32}[self.kind]
        first, second = np.array([value], np.uint64).view(kind)
        return f"({number(first)}, {number(second)})"

    @property
    def extreme(self) -> bool:
        """Whether a maximum or minimum is asked for: then nothing can be learnt from differences."""
        return self.operator in ("max", "min")


def packed(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.uint64)


def pairs_of(n: int, inputs: list[Array], output: Array) -> bool:
    """Whether an element is two numbers: n elements go in and come out, and both are 2 n numbers of one type."""
    given = sum(array.size for array in inputs if array.dtype == output.dtype)
    return 0 < 2 * n == output.size == given


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
