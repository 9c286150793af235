"""What a wrong output shows and is certainly true: one short sentence. It says what is there, never why.

Each sentence holds for this output whatever program has made it. Few elements show nothing that the table of wrong
elements does not show as well.
"""

from __future__ import annotations

import numpy as np

from autograder.explain.evidence import Errors, Mask, bits
from autograder.words import counted, number, ordinal, part

LEAST = 3  # elements; also wrong ones that have something in common
TURN = 8  # bytes
SURE = 4  # bytes that are as before the call: fewer may be so by chance


def observed(errors: Errors) -> str:
    """The most telling sentence about a wrong output; "" if it has too few elements to show one."""
    e = errors.elements
    if e.n < LEAST or e.past is not None or not e.wrong.any():
        return ""
    if e.count < LEAST:
        return _turns(e)
    with np.errstate(all="ignore"):
        return _unwritten(e) or _turns(e) or _of_values(e) or _of_places(e)


def is_untouched(errors: Errors) -> bool:
    """Whether the whole output holds what was in the memory before, and is large enough to show it."""
    e = errors.elements
    return bool(e.wrong.any()) and bool(e.poisoned.all()) and e.count * e.got.dtype.itemsize >= SURE


def _unwritten(e: Errors) -> str:
    """Elements that still hold what the grader, or the virtual GPU, had put into the memory."""
    missing = e.wrong & e.poisoned
    count, size = int(missing.sum()), e.got.dtype.itemsize
    if count * size < SURE or (size < SURE and not np.array_equal(missing, e.wrong)):
        return ""
    if count == e.count:
        return f"nothing was written: all {counted(count, e.noun)} hold what was in the memory before"
    return f"never written: {count:,} of {counted(e.count, e.noun)}, {_at(missing)}"


def _turns(e: Errors) -> str:
    """64-bit integers of which the lower half is right: that is no chance, not even of a single one."""
    if e.packed or e.got.dtype.kind not in "iu" or e.got.dtype.itemsize != TURN or e.got.dtype != e.expected.dtype:
        return ""
    if ((bits(e.got[e.wrong]) ^ bits(e.expected[e.wrong])) & np.uint64(2**32 - 1)).any():
        return ""
    wrong = int(e.wrong.sum())
    return f"{part(wrong, e.count, e.noun)} off by a multiple of 2^32"


def _of_values(e: Errors) -> str:
    """How the values that are there relate to the expected ones."""
    wrong = int(e.wrong.sum())
    if e.got.dtype.kind == "f" and (nan := e.wrong & np.isnan(e.got)).any():
        return f"{part(int(nan.sum()), e.count, e.noun)} NaN, {_at(nan)}"
    if wrong >= LEAST and not e.got.any():
        return f"all {counted(e.count, e.noun)} are 0"
    if e.got.dtype == e.expected.dtype:
        got, expected = bits(e.got), bits(e.expected)
        if np.array_equal(np.sort(got), np.sort(expected)):
            return f"all expected {e.noun}s are there, {wrong:,} of {e.count:,} at another place"
        if wrong >= LEAST and (expected[1:] != expected[:-1]).any():
            if np.array_equal(got[1:], expected[:-1]):
                return f"from index 1 on, each {e.noun} is the one expected one place before it"
            if np.array_equal(got[:-1], expected[1:]):
                return f"each {e.noun} but the last is the one expected one place after it"
    return "" if e.packed or wrong < LEAST else _offset(e)


def _offset(e: Errors) -> str:
    kind = np.longdouble if e.got.dtype.itemsize == 8 else np.float64
    difference = e.got[e.wrong].astype(kind) - e.expected[e.wrong].astype(kind)
    amount = difference[0]
    if not np.isfinite(amount) or (difference != amount).any():
        return ""
    way = "large" if amount > 0 else "small"
    whole = f"{abs(int(amount)):,}" if amount == int(amount) else number(np.abs(amount).astype(np.float64))
    return f"all {counted(difference.size, f'wrong {e.noun}')} are too {way} by {whole}"


def _of_places(e: Errors) -> str:
    """Which elements are wrong."""
    at = np.flatnonzero(e.wrong)
    first, wrong = int(at[0]), int(at.size)
    if wrong == e.count:
        return f"all {counted(wrong, e.noun)} are wrong"
    step = int(at[1] - at[0]) if wrong >= LEAST else 0
    if step > 1 and np.array_equal(at, np.arange(first, e.count, step)):
        return f"every {ordinal(step)} {e.noun} from index {first:,} on is wrong, and no other"
    if wrong == e.count - first and wrong >= LEAST:
        return f"{part(wrong, e.count, e.noun)} wrong: all from index {first:,} on"
    return f"{part(wrong, e.count, e.noun)} wrong, {_at(e.wrong)}"


def _at(mask: Mask) -> str:
    first, *others = np.flatnonzero(mask)[:2]
    return f"{'the first ' if others else ''}at index {int(first):,}"
