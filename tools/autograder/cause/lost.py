"""Which elements of an input the right result depends on: with another value there, the oracle expects another one.

The other value is one that the array has elsewhere, and a smaller one where it is an integer: so an index stays inside
an array, and counts do not add up to more than there is room for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.errors import GraderError
from autograder.judge.batch import Seen
from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome
from autograder.plan.tables import Array
from autograder.run.memory import alike, poisoned
from autograder.run.unread import Range

EACH = 4  # elements of a range that are tried
FEW = 2  # elements, which are in order whatever they are


@dataclass(frozen=True, repr=False)
class Changed:
    """The inputs of a call with another value in one element."""

    index: int
    inputs: list[Array]
    is_felt: bool  # an element of the result that is wrong must be another then


def changed_inputs(checker: Checker, outcome: Outcome, name: str, ranges: Sequence[Range] = ()) -> Iterator[Changed]:
    """`ranges`: the bytes among which elements are changed; none: in all of the array."""
    wrong = outcome.wrong
    if wrong is None:
        return
    at = next((n for n, spec in enumerate(wrong.shape.inputs) if spec.name == name), -1)
    array = wrong.inputs[at] if at >= 0 else np.zeros(0)
    if array.size == 0 or array.dtype.names or is_in_order(array):
        return
    size = array.itemsize
    parts = [(one.begin // size, (one.begin + one.bytes) // size) for one in ranges] or [(0, array.size)]
    for index in dict.fromkeys(index for first, end in parts for index in places_in(array[first:end], first)):
        for value in others_than(array, index):
            other = array.copy()
            other[index] = value
            inputs = [other if n == at else one for n, one in enumerate(wrong.inputs)]
            yield Changed(index, inputs, _is_felt(checker, outcome, inputs))


def is_in_order(array: Array) -> bool:
    """Where the elements are in order, as offsets or sorted keys, a call with others is none."""
    return array.size > FEW and bool(np.greater_equal(array[1:], array[:-1]).all())


def places_in(part: Array, first: int) -> list[int]:
    """Some elements: the greatest, and a few from the first to the last."""
    if part.size == 0:
        return []
    spread = np.linspace(0, part.size - 1, min(EACH, part.size)).astype(int)
    return [first + int(one) for one in dict.fromkeys([int(np.nan_to_num(part).argmax()), *spread.tolist()])]


def others_than(array: Array, index: int) -> list[np.generic]:
    """The least value of an array, and of floats the greatest, too, if it is not the one that is there."""
    there = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    if there.size == 0:
        return []
    return [
        one for one in ([there.min(), there.max()] if array.dtype.kind == "f" else [there.min()]) if one != array[index]
    ]


def _is_felt(checker: Checker, outcome: Outcome, inputs: Sequence[Array]) -> bool:
    assert outcome.wrong is not None
    try:
        now = checker.expected(outcome.case, inputs, outcome.wrong)
    except GraderError:  # no such input is possible
        return False
    return any(
        bool((mask & ~alike(one, other)).any())
        for mask, one, other in zip(outcome.wrong.checked.wrong, outcome.wrong.checked.expected, now, strict=True)
    )


def is_same_result(one: Outcome, other: Seen) -> bool:
    """Whether another call has the outputs of a wrong one, apart from elements that it has not written."""
    if one.wrong is None or len(other.outputs) != len(one.wrong.outputs):
        return False
    pairs = zip(one.wrong.outputs, other.outputs, strict=True)
    return all(a.shape == b.shape and bool((alike(a, b) | poisoned(a, one.wrong.poison)).all()) for a, b in pairs)
