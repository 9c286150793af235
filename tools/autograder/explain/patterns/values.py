"""How the wrong values relate to the expected ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from autograder.explain.evidence import Errors
from autograder.explain.words import number, part

HALF = 2  # a whole output is zero or shifted if at least one element in two is wrong; the others are so by chance
FEW = 3  # elements: two are shifted, or off by the same amount, by chance
SHIFTED = 0.9  # of the elements must be their neighbour's; at the seam between blocks some are something else
VARIED = 0.5  # of the elements differ from the one before, or a shift shows nothing
SAME_FLOAT = 1e-6  # relative: twice a float, added up in another order (2^-24 an addition)
SAME_DOUBLE = 1e-9  # relative: the same for a sum that was rounded to 64 bits
TURN = 2.0**32  # a 32-bit sum that overflows is off by multiples of it
OVERFLOWS = 2.0**31  # a sum that does not fit into 32 bits


def nan(e: Errors) -> str | None:
    """NaN where a number is expected."""
    if e.got.dtype.kind != "f":
        return None
    bad = np.isnan(e.got) & ~np.isnan(e.expected.astype(np.float64)) & ~e.poisoned
    count = int(bad.sum())
    return f"{part(count, e.count, 'value')} NaN where a number is expected" if count else None


def wrong_identity(e: Errors) -> str | None:
    """A maximum above every input value, or a minimum below: no input made it."""
    if not e.extreme or e.poisoned.all():
        return None
    start = "instead of the identity"
    beyond = "above" if e.operation == "max" else "below"
    if e.n == 0:
        zero = e.got.size > 0 and not e.got.any() and bool(e.expected.any())
        wanted = f"for n = 0 it must be {number(e.expected[0])}, the identity of {e.operation}" if zero else ""
        return f"{wanted}: does something start from 0 instead?" if zero else None
    got, expected = e.got[e.wrong], e.expected[e.wrong]
    outside = np.greater(got, expected) if e.operation == "max" else np.less(got, expected)
    if not outside.all():
        return None
    if not got.any():
        what = "the result is" if e.count == 1 else part(got.size, e.count, "value")
        until = " up to there" if e.count > 1 else ""
        return f"{what} 0, {beyond} every value of the input{until}: does something start from 0 {start}?"
    if e.count == 1:
        return f"the result, {number(got[0])}, is {beyond} every value of the input: what does it start from?"
    return None


def all_zero(e: Errors) -> str | None:
    """Zero everywhere."""
    if e.count > 1 and not e.got.any() and e.wrong.sum() * HALF >= e.count:
        return "every element is zero"
    return None


def shifted_by_one(e: Errors) -> str | None:
    """Everything right, one place too far: inclusive for exclusive."""
    e = e.elements
    if e.count < FEW:
        return None
    expected = e.expected
    needed = max(2, int(SHIFTED * (e.count - 1)))
    if int(e.wrong.sum()) * HALF < e.count or (expected[1:] == expected[:-1]).mean() > VARIED:
        return None
    if int((e.got[1:] == expected[:-1]).sum()) >= needed:
        return "shifted by one: each place holds what the place before it should (exclusive for inclusive?)"
    if int((e.got[:-1] == expected[1:]).sum()) >= needed:
        return "shifted by one: each place holds what the place after it should (inclusive for exclusive?)"
    return None


def doubled(e: Errors) -> str | None:
    """Twice the expected value."""
    if not e.has_sums:
        return None
    expected, got = _wrong_numbers(e)
    if expected.any() and np.allclose(got, 2 * expected, rtol=SAME_FLOAT, atol=0):
        return "twice the expected value" + (f" in {expected.size:,} places" if expected.size > 1 else "")
    return None


def overflow(e: Errors) -> str | None:
    """Differs by a multiple of 2^32."""
    if not e.has_sums or (e.expected.dtype.itemsize < 8 and e.expected.dtype.kind != "f"):
        return None
    expected, got = _wrong_numbers(e)
    if (np.abs(expected) < OVERFLOWS).any() or not np.isfinite(got).all() or (np.abs(got) > TURN).any():
        return None
    difference = got - expected
    turns = np.round(difference / TURN)
    if turns.all() and np.allclose(difference, turns * TURN, rtol=SAME_DOUBLE):
        return "off by a multiple of 2^32: a 32-bit sum overflowed on the way"
    return None


def constant_offset(e: Errors) -> str | None:
    """Every wrong element is off by the same amount."""
    if not e.has_sums:
        return None
    expected, got = _wrong_numbers(e)
    difference = got - expected
    if difference.size >= FEW and (difference == difference[0]).all():
        return f"every wrong value is off by the same amount, {difference[0]:,.10g}"
    return None


def _wrong_numbers(e: Errors) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    kind = np.longdouble if e.expected.dtype.itemsize == 8 else np.float64
    return e.expected[e.wrong].astype(kind), e.got[e.wrong].astype(kind)
