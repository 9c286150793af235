"""One wrong output: which elements are wrong, what they should be, and which were never written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from autograder.explain.explanation import Values, WrongElement
from autograder.explain.places import block_of
from autograder.judge.outcome import Outcome, Wrong, are_pairs
from autograder.plan.tables import Array
from autograder.run.memory import fresh, poisoned
from autograder.words import number

Mask = npt.NDArray[np.bool_]
SMALL = 8  # n: the whole call is shown
UNWRITTEN = "unwritten"  # in place of a value
EXAMPLES = 3  # wrong elements that are shown: enough to see a step from one to the next


@dataclass(frozen=True)
class Errors:
    """One wrong output: the evidence."""

    n: int
    wrong: Mask
    expected: Array
    got: Array
    poisoned: Mask
    block: int = 0  # threads of a block, 0 if not known
    width: int = 0  # columns, if the elements are a matrix or an image, row by row; otherwise 0
    pairs: bool = False  # an element is two neighbouring numbers, such as a key and its value
    packed: bool = False  # each pair is stored here as one number of twice the width
    kind: str = "i"  # of the numbers of a packed pair: "i", "u", "f"
    past: int | None = None  # the length of a result of variable size, if only elements after it are wrong
    members: tuple[str, ...] = ()  # of an element that is a class of several numbers

    @property
    def count(self) -> int:
        return int(self.wrong.size)

    @property
    def noun(self) -> str:
        return "element" if self.packed else "value"

    @cached_property
    def elements(self) -> Errors:
        """Pairs as one number each, so that places and counts are those of elements, and both numbers are compared."""
        if not self.pairs or self.packed or self.got.dtype.itemsize != 4:
            return self
        return replace(
            self,
            wrong=self.wrong[::2] | self.wrong[1::2],
            expected=_packed(self.expected),
            got=_packed(self.got),
            poisoned=self.poisoned[::2] & self.poisoned[1::2],
            packed=True,
            kind=self.got.dtype.kind,
            past=None if self.past is None else self.past // 2,
        )

    def place(self, index: int) -> str:
        """Where an element is in a matrix; "" if it is in none."""
        return f"row {index // self.width:,}, column {index % self.width:,}" if self.width else ""

    def name(self, array: str, index: int) -> str:
        """An element as the program calls it: `d_out[3]`, `d_triangles[2].corner[0].x`."""
        if not self.members or self.packed:
            return f"{array}[{index}]"
        return f"{array}[{index // len(self.members)}].{self.members[index % len(self.members)]}"

    def text(self, value: np.generic) -> str:
        """A number or pair as people read it."""
        if not self.packed:
            return number(value)
        kind = {"i": np.int32, "u": np.uint32, "f": np.float32}[self.kind]
        first, second = np.array([value], np.uint64).view(kind)
        return f"({number(first)}, {number(second)})"


def errors_of(outcome: Outcome, wrong: Wrong) -> Errors:
    """The evidence in the first output that is wrong."""
    case, shape, checked = outcome.case, wrong.shape, wrong.checked
    at = wrong.first
    count = checked.counts[at]
    got, expected, mask = wrong.outputs[at], checked.expected[at], checked.wrong[at]
    past_the_result = not mask[:count].any() and bool(mask.any())
    if not past_the_result:
        got, expected, mask = got[:count], expected[:count], mask[:count]
    members = tuple(shape.outputs[at].members) if shape.outputs else ()
    pairs = len(members) == 2 or (not past_the_result and are_pairs(case.n, wrong.inputs, got))
    # A kernel may have read unwritten memory and stored that value elsewhere.
    read = any(finding.kind == "uninitialized" for finding in outcome.findings)
    return Errors(
        case.n,
        mask,
        expected,
        got,
        poisoned(got, wrong.poison) if read else poisoned(got, wrong.poison) | fresh(got),
        block=block_of(outcome.kernels, got.size // 2 if pairs else got.size),
        width=shape.outputs[at].columns,
        pairs=pairs,
        past=count if past_the_result else None,
        members=members,
    )


def output_name(wrong: Wrong) -> str:
    """The name of the first output that is wrong."""
    return wrong.shape.outputs[wrong.first].name if wrong.shape.outputs else ""


def examples(errors: Errors) -> tuple[WrongElement, ...]:
    """The first wrong elements. Who has written them is found out later: see trace/."""
    e = errors.elements
    return tuple(
        WrongElement(
            int(i),
            e.text(e.expected[i]) if e.past is None or i < e.past else "untouched",
            e.text(e.got[i]),
            written=not e.poisoned[i],
            place=e.place(int(i)),
            name=e.name("", int(i)) if e.members else "",
        )
        for i in np.flatnonzero(e.wrong)[:EXAMPLES]
    )


def small(errors: Errors, wrong: Wrong) -> tuple[tuple[Values, ...], tuple[str, ...], tuple[str, ...]]:
    """All values of a call that fits on a few lines: its inputs, what its output should be, and what it is."""
    e = errors.elements
    if errors.n > SMALL or max(array.size for array in (e.got, *wrong.inputs)) > 2 * SMALL:
        return (), (), ()
    given = tuple(
        Values(spec.name, values_of(array, spec.members))
        for spec, array in zip(wrong.shape.inputs, wrong.inputs, strict=True)
    )
    ends = e.count if e.past is None else e.past
    wanted = tuple(e.text(value) if i < ends else "untouched" for i, value in enumerate(e.expected))
    got = (UNWRITTEN if e.poisoned[i] and e.wrong[i] else e.text(value) for i, value in enumerate(e.got))
    return given, wanted, tuple(got)


def values_of(array: Array, members: Sequence[str]) -> tuple[str, ...]:
    """The values of an array, those of a class with several members in brackets."""
    texts, size = [number(value) for value in array], len(members)
    if size < 2:
        return tuple(texts)
    return tuple(f"({', '.join(texts[at : at + size])})" for at in range(0, len(texts), size))


def bits(values: Array) -> npt.NDArray[np.unsignedinteger]:
    """The values as unsigned numbers, so that a NaN equals itself."""
    found: npt.NDArray[np.unsignedinteger] = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    return found


def _packed(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.uint64)
