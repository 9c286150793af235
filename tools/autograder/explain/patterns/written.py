"""What was written, and what was not."""

from __future__ import annotations

import numpy as np

from autograder.explain.evidence import Errors
from autograder.explain.words import number, part

# The share of the wrong elements that must still be poison: others may be wrong because of the missing ones.
MOSTLY = 0.9


def nothing_written(e: Errors) -> str | None:
    """Every element is still the poison that was put there."""
    if e.wrong.all() and e.poisoned.all():
        return "nothing was written: the output still holds its initial garbage"
    return None


def partly_written(e: Errors) -> str | None:
    """Some elements are still poison."""
    e = e.elements
    missing = int((e.wrong & e.poisoned).sum())
    if 0 < MOSTLY * int(e.wrong.sum()) <= missing < e.count:
        first = int(np.flatnonzero(e.wrong)[0])
        return f"{part(missing, e.count, 'element')} never written, the first at index {first:,}"
    return None


def empty_input(e: Errors) -> str | None:
    """Fails at n = 0, with all of the result."""
    if e.n != 0:
        return None
    if not e.wrong.any():
        return "wrong for n = 0: an empty input has a result too"
    wanted = number(e.expected[int(np.flatnonzero(e.wrong)[0])])
    named = {"sum": ", the sum of nothing", "max": ", the identity of max", "min": ", the identity of min"}
    text = f"an empty input has a result too: for n = 0 it must be {wanted}{named.get(e.operation, '')}"
    return text + (", and it was never written" if e.poisoned[e.wrong].all() else "")


def past_the_result(e: Errors) -> str | None:
    """Elements were written past the end of a result of variable size."""
    return None if e.past is None else f"the result has {e.past:,} elements, and more were written"


def unwritten(e: Errors) -> str:
    """The end of a sentence about the wrong elements."""
    return ", never written" if float(e.poisoned[e.wrong].mean()) >= MOSTLY else ""
