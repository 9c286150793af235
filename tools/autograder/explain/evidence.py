"""One wrong output, as the rules of explain/patterns and of the labs look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from autograder.explain.explanation import WrongElement
from autograder.explain.places import block_of
from autograder.explain.words import number
from autograder.judge.outcome import Outcome, Wrong
from autograder.plan.tables import Array
from autograder.run.memory import fresh, poisoned

Mask = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.unsignedinteger]
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
    input: Array | None = None  # the first input, for results of one element
    operation: str = ""  # "sum", "max" or "min", if the call combines its elements with it
    width: int = 0  # of the image, if the elements are its pixels, row by row; otherwise 0
    pairs: bool = False  # an element is two neighbouring numbers, such as a key and its value
    packed: bool = False  # each pair is stored here as one number of twice the width
    kind: str = "i"  # of the numbers of a packed pair: "i", "u", "f"
    past: int | None = None  # the length of a result of variable size, if only elements after it are wrong
    inputs: Mapping[str, Array] = field(default_factory=dict)  # all of them, by their names in the table of tasks

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
        given = self.input
        return replace(
            self,
            wrong=self.wrong[::2] | self.wrong[1::2],
            expected=_packed(self.expected),
            got=_packed(self.got),
            poisoned=self.poisoned[::2] & self.poisoned[1::2],
            input=_packed(given) if given is not None and given.size == self.got.size else None,
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
        """Whether the result is a maximum or minimum, so that differences say nothing."""
        return self.operation in ("max", "min")

    @cached_property
    def is_sorting(self) -> bool:
        """Whether the expected output is the input in another order."""
        same_kind = self.input is not None and self.input.dtype == self.expected.dtype
        if not same_kind or self.input is None or not self.input.size == self.count > 1:
            return False
        given, wanted = bits(self.input), bits(self.expected)
        return not np.array_equal(given, wanted) and np.array_equal(np.sort(given), np.sort(wanted))

    @property
    def has_sums(self) -> bool:
        """Whether a difference from the expected value may be that of a sum."""
        return not self.extreme and not self.elements.is_sorting


def errors_of(outcome: Outcome, wrong: Wrong) -> Errors:
    """The evidence in the first output that is wrong."""
    case, shape, checked = outcome.case, wrong.shape, wrong.checked
    at = first_wrong(wrong)
    count = checked.counts[at]
    got, expected, mask = wrong.outputs[at], checked.expected[at], checked.wrong[at]
    past_the_result = not mask[:count].any() and bool(mask.any())
    if not past_the_result:
        got, expected, mask = got[:count], expected[:count], mask[:count]
    pairs = not past_the_result and pairs_of(case.n, wrong.inputs, got)
    # A kernel may have read unwritten memory and stored that value elsewhere.
    read = any(finding.kind == "uninitialized" for finding in outcome.findings)
    return Errors(
        case.n,
        mask,
        expected,
        got,
        poisoned(got, wrong.poison) if read else poisoned(got, wrong.poison) | fresh(got),
        block=block_of(outcome.kernels, got.size // 2 if pairs else got.size),
        input=next((array for array in wrong.inputs if array.size in (case.n, got.size)), None),
        operation=shape.operation,
        width=shape.scalars.get("width", 0) if got.size == case.n else 0,
        pairs=pairs,
        past=count if past_the_result else None,
        inputs={spec.name: array for spec, array in zip(shape.inputs, wrong.inputs, strict=True)},
    )


def output_name(wrong: Wrong) -> str:
    """The name of the first output that is wrong."""
    return wrong.shape.outputs[first_wrong(wrong)].name if wrong.shape.outputs else ""


def examples(errors: Errors) -> tuple[WrongElement, ...]:
    """The first wrong elements. Who has written them is found out later: see trace/."""
    e = errors.elements
    return tuple(
        WrongElement(
            int(i),
            e.text(e.expected[i]) if e.past is None or i < e.past else "untouched",
            e.text(e.got[i]),
        )
        for i in np.flatnonzero(e.wrong)[:EXAMPLES]
    )


def bits(values: Array) -> Bits:
    """The values as unsigned numbers, so that a NaN equals itself."""
    unsigned: Bits = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    return unsigned


def pairs_of(n: int, inputs: Sequence[Array], output: Array) -> bool:
    """Whether an element is two numbers: n elements go in and come out, and both are 2 n numbers of one type."""
    given = sum(array.size for array in inputs if array.dtype == output.dtype)
    return 0 < 2 * n == output.size == given


def first_wrong(wrong: Wrong) -> int:
    """The number of the first output that is wrong."""
    return next((i for i, mask in enumerate(wrong.checked.wrong) if mask.any()), 0)


def _packed(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.uint64)
