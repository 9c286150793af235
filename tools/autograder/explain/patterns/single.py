"""Patterns of a single result of many inputs: what its value says about the elements that went into it.

For a sum, look at the difference from the true sum; for a maximum or minimum, at the inputs whose extreme it is.
Every sentence is exact: it says what the value is, and what mistake would make it so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.explain.evidence import Errors
from autograder.plan.tables import Array

LARGEST = {"max": "largest", "min": "smallest"}


def first_block_only(e: Errors) -> str | None:
    """A single result that holds the first block's part only."""
    data = _data(e)
    if data is None or not 0 < e.block < data.size:
        return None
    head = data[: e.block]
    alone = _extreme(e, head) == e.got[0] if e.extreme else _difference(e) == -data[e.block :].sum()
    return f"the result is that of the first block alone (blocks of {e.block:,})" if alone else None


def tail_missing(e: Errors) -> str | None:
    """A single result that lacks the last elements."""
    data = _data(e)
    if data is None:
        return None
    lost = _tail_of_extreme(e, data) if e.extreme else _tail_of_sum(e, data)
    if not lost:
        return None
    if e.extreme and lost == data.size:
        return "the result is the identity, as if there were no elements"
    if e.extreme:
        elements = "the last element" if lost == 1 else f"the last {lost:,} of {data.size:,} elements"
        return f"the result is the {LARGEST[e.operation]} without {elements}"
    return f"the last {lost:,} of {data.size:,} elements are missing" if lost > 1 else "the last element is missing"


def one_input(e: Errors) -> str | None:
    """A result that misses or repeats one input: a part of the rule `single_element`."""
    data = _data(e)
    if data is None:
        return None
    if e.extreme:
        at = np.flatnonzero(data == e.expected[0])
        if data.size > 1 and at.size == 1 and _extreme(e, np.delete(data, at)) == e.got[0]:
            return f"the result is the second {LARGEST[e.operation]}: as if input[{int(at[0]):,}] had been skipped"
        return None
    for sign, word in ((1, "twice"), (-1, "not at all")):
        at = np.flatnonzero(data == sign * _difference(e))
        if at.size:
            return f"off by exactly one element: as if input[{int(at[-1]):,}] were counted {word}"
    return None


def _tail_of_sum(e: Errors, data: Array) -> int:
    """How many of the last elements add up to the difference; 0: none."""
    tails = np.cumsum(data[::-1])[: max(1, data.size - 1)]
    hits = np.flatnonzero(tails == -_difference(e))
    return int(hits[0]) + 1 if hits.size else 0


def _tail_of_extreme(e: Errors, data: Array) -> int:
    """The least number of last elements without which the result would be right, at most a block's; 0: none."""
    operator = np.maximum if e.operation == "max" else np.minimum
    of_first = operator.accumulate(np.concatenate([_identity(e, data.dtype), data]))  # of 0, 1, 2, … elements
    hits = np.flatnonzero(of_first[:-1] == e.got[0])
    lost = data.size - int(hits[-1]) if hits.size else 0
    return lost if lost <= max(1, e.block) else 0


def _data(e: Errors) -> Array | None:
    """The input of a single result, exact: integers in 64 bits, floats only where nothing is added."""
    if e.count != 1 or e.n == 0 or e.input is None or e.input.size == 0 or e.poisoned.all():
        return None
    if e.extreme:
        return e.input
    return e.input.astype(np.int64) if e.input.dtype.kind in "iu" and e.got.dtype.kind in "iu" else None


def _difference(e: Errors) -> int:
    return int(e.got[0]) - int(e.expected[0])


def _extreme(e: Errors, data: Array) -> np.generic:
    return data.max() if e.operation == "max" else data.min()  # type: ignore[no-any-return]


def _identity(e: Errors, dtype: np.dtype[Any]) -> Array:
    low, high = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return np.array([low if e.operation == "max" else high], dtype)
