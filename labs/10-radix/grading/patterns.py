"""What a radix sort's output says about its passes: whether each has kept the order of the one before."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from autograder.explain.evidence import Bits, Errors, bits
from autograder.explain.words import counted


def equal_keys_swapped(e: Errors) -> str | None:
    """The keys are right, but values of equal keys have changed places."""
    keys, values = e.inputs.get("d_keys_in"), e.inputs.get("d_values_in")
    if keys is None or values is None or not _same_elements(values, e.expected, e.got):
        return None
    order = np.argsort(values)  # no value occurs twice

    def keys_of(output: Bits) -> Bits:
        found: Bits = bits(keys)[order[np.searchsorted(values[order], output)]]
        return found

    if not np.array_equal(keys_of(bits(e.got)), keys_of(bits(e.expected))):
        return None
    moved = int(e.wrong.sum())
    return f"the keys are right, but {moved:,} of {counted(e.n, 'value')} moved to another, equal key: not stable"


def order_not_kept(e: Errors) -> str | None:
    """All keys are there, but in the wrong order, and a last pass that is not stable could have left them so.

    Even such a pass puts the keys in order by the highest bit that decides. If no bit shows whether it did, the rule
    fits, too; choice.py decides which rule fits most cases.
    """
    if e.count != e.n or e.got.dtype.kind != "u" or e.input is None or e.input.dtype != e.got.dtype:
        return None
    if not _same_elements(e.input, e.expected, e.got):
        return None
    wanted, got = bits(e.expected), bits(e.got)
    top = 8 * got.itemsize - 1
    highest = next((bit for bit in range(top, -1, -1) if _is_sorted_by(wanted, bit)), -1)
    if highest >= 0 and _is_sorted_by(got, highest):
        return (
            f"all {e.count:,} keys are there and in order by the highest bit that decides, but not by the others: "
            "a pass has not kept the order that it found, or is missing"
        )
    if all(_differs(got, bit) for bit in range(highest + 1, top + 1)):
        return None
    return f"all {e.count:,} keys are there, in the wrong order: a pass may not have kept the order that it found"


def _same_elements(*arrays: npt.NDArray[np.generic]) -> bool:
    first, *others = (np.sort(bits(array)) for array in arrays)
    return all(np.array_equal(first, other) for other in others)


def _is_sorted_by(keys: Bits, bit: int) -> bool:
    """Whether all keys with a 0 in this bit stand before those with a 1, and there are both."""
    ones = keys >> keys.dtype.type(bit) & keys.dtype.type(1)
    return bool(ones[-1] > ones[0] and (ones[:-1] <= ones[1:]).all())


def _differs(keys: Bits, bit: int) -> bool:
    ones = keys >> keys.dtype.type(bit) & keys.dtype.type(1)
    return bool(ones.any() and not ones.all())


RULES = (equal_keys_swapped, order_not_kept)
