"""What the elements of a sorted output tell of the mistake in it: moved wrongly, or lost?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from autograder.explain.evidence import Array, Errors, part

Bits = npt.NDArray[np.unsignedinteger]


def is_sorting(e: Errors) -> bool:
    """Whether what is expected is the input in another order."""
    same_kind = e.input is not None and e.input.dtype == e.expected.dtype and e.input.size == e.count > 1
    if not same_kind or e.input is None:
        return False
    given, wanted = _bits(e.input), _bits(e.expected)
    return not np.array_equal(given, wanted) and np.array_equal(np.sort(given), np.sort(wanted))


def out_of_order(e: Errors) -> str | None:
    if not is_sorting(e) or _missing(e.expected, e.got).size:
        return None
    wrong = int(e.wrong.sum())
    return f"all {e.count:,} elements are there, {wrong:,} of them in places that are not theirs"


def order_lost(e: Errors) -> str | None:
    """Of results that are no sorting: all is there, and not where it belongs."""
    if is_sorting(e) or e.count < 2 or e.poisoned.any() or _missing(e.expected, e.got).size:
        return None
    moved = int(e.wrong.sum())
    return f"all {e.count:,} values are there, {moved:,} of them in places that are not theirs: the order is lost"


def elements_lost(e: Errors) -> str | None:
    if not is_sorting(e) or e.poisoned.any():
        return None
    lost, instead = _missing(e.expected, e.got), _missing(e.got, e.expected)
    if not lost.size:
        return None
    stranger = instead[~np.isin(_bits(instead), _bits(e.expected))]
    other = (
        f"{e.text(stranger[0])} is there, which the input does not have"
        if stranger.size
        else f"{e.text(instead[0])} is there too often"
    )
    return f"{part(lost.size, e.count, 'element')} lost, such as {e.text(lost[0])}; {other}"


def _bits(values: Array) -> Bits:
    """As unsigned numbers: a NaN equals itself."""
    bits: Bits = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    return bits


def _missing(wanted: Array, there: Array) -> Array:
    """What `wanted` has and `there` has not, or not as often; in ascending order of their bits."""
    values, counts = np.unique(_bits(wanted), return_counts=True)
    places = np.searchsorted(np.sort(_bits(there)), values, side="right")
    places -= np.searchsorted(np.sort(_bits(there)), values, side="left")
    missing = np.repeat(values, np.maximum(counts - places, 0))
    return missing.view(wanted.dtype)
