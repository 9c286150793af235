"""Whether the elements of an output are in the wrong place, or lost."""

from __future__ import annotations

import numpy as np

from autograder.explain.evidence import Errors, bits
from autograder.explain.words import counted, part
from autograder.plan.tables import Array


def out_of_order(e: Errors) -> str | None:
    """In a sort, all elements are there, but in wrong places."""
    e = e.elements
    if not e.is_sorting or _missing(e.expected, e.got).size:
        return None
    wrong = int(e.wrong.sum())
    return f"all {e.count:,} elements are there, {wrong:,} of them in the wrong place"


def order_lost(e: Errors) -> str | None:
    """In another result, all values are there, but in wrong places."""
    if e.is_sorting or e.count < 2 or e.poisoned.any() or _missing(e.expected, e.got).size:
        return None
    moved = int(e.wrong.sum())
    return f"all {e.count:,} values are there, {moved:,} of them in the wrong place: the order is lost"


def elements_lost(e: Errors) -> str | None:
    """In a sort, some elements are missing."""
    e = e.elements
    if not e.is_sorting or e.poisoned.any():
        return None
    lost, instead = _missing(e.expected, e.got), _missing(e.got, e.expected)
    if not lost.size:
        return None
    stranger = instead[~np.isin(bits(instead), bits(e.expected))]
    other = (
        f"{e.text(stranger[0])} is in the output, but not in the input"
        if stranger.size
        else f"{e.text(instead[0])} occurs too often"
    )
    return f"{part(lost.size, e.count, 'element')} lost, such as {e.text(lost[0])}; {other}"


def not_stable(e: Errors) -> str | None:
    """In pairs of key and value, the keys are right, but values of equal keys have changed places."""
    if e.n < 2 or e.count != 2 * e.n or e.expected.dtype.kind != "i" or e.wrong[::2].any():
        return None
    if not np.array_equal(np.sort(e.got[1::2]), np.sort(e.expected[1::2])):
        return None
    moved = int(e.wrong.sum())
    return f"the keys are right, but {moved:,} of {counted(e.n, 'value')} moved to another, equal key: not stable"


def _missing(wanted: Array, there: Array) -> Array:
    """Elements that `there` lacks or has less often than `wanted`, in ascending order of their bits."""
    values, counts = np.unique(bits(wanted), return_counts=True)
    places = np.searchsorted(np.sort(bits(there)), values, side="right")
    places -= np.searchsorted(np.sort(bits(there)), values, side="left")
    missing = np.repeat(values, np.maximum(counts - places, 0))
    return missing.view(wanted.dtype)
