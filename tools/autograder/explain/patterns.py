"""The pattern of the errors in an output: what kind of mistake makes these elements wrong?

Names, as lab.toml's [[symptom]] uses them:

    nothing_written       every element is still the poison that was put there
    partly_written        some elements are still poison
    empty_input           fails at n = 0, with all of the result
    input_modified        the input is not what it was before the call
    nondeterministic      right on one run and wrong on the next with the same input
    last_bits             right each time, but with other last bits of a float on the next run
    nan                   NaN where a number is expected
    powers_of_two_only    right only where n is a power of two
    last_block_only       only the last block's elements are wrong
    from_second_block     wrong from the second block on
    wrong_tail            right up to some index, wrong from there on
    border_only           an image is right inside, and wrong along its border
    first_block_only      a single result that holds the first block's part only
    tail_missing          a single result that lacks the last elements
    single_element        off by one element: just one wrong, or a result that misses or repeats one
    shifted_by_one        everything right, one place too far (inclusive for exclusive)
    doubled               twice the expected value
    every_kth             every k-th element
    overflow              differs by a multiple of 2^32
    constant_offset       every wrong element is off by the same amount
    all_zero              zero everywhere
    values_lost, values_repeated, values_moved
                          of a histogram: the counts add up to less than n, to more, or values are in wrong bins
    out_of_order, elements_lost
                          of a sort: all elements are there, in wrong places; or some are not
    order_lost            of other results: all values are there, in wrong places
    not_stable            of pairs of key and value: the keys are right, values of equal keys have changed places
    empty_rows, long_rows of a product with a sparse matrix: wrong only where a row has no nonzero, or many
    past_the_result       elements were written past the end of a result of variable size
    wrong_identity        a maximum (minimum) above (below) every input value: it starts from 0
    host_computed         the result was computed on the host
    slow                  right, but slow
    crash, cuda_error, timeout, memory
                          the process ended, CUDA refused, took too long, took too much memory
    out_of_bounds, misaligned, use_after_free, uninitialized, race, divergent_barrier, deadlock,
    host_access, invalid_access, trap, device_assert, unsupported, leak, ignored_error,
    deep_launch, failed_call
                          findings of the virtual GPU
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from autograder.explain import single
from autograder.explain.evidence import Errors, Pattern, number, part
from autograder.explain.histogram_patterns import values_lost, values_moved, values_repeated
from autograder.explain.matrix_patterns import empty_rows, long_rows
from autograder.explain.sorting_patterns import elements_lost, is_sorting, order_lost, out_of_order

OUTPUT_NAMES = (
    "nothing_written", "partly_written", "empty_input", "input_modified", "nondeterministic", "nan",
    "powers_of_two_only", "last_block_only", "from_second_block", "wrong_tail", "first_block_only", "tail_missing",
    "single_element", "shifted_by_one", "doubled", "every_kth", "overflow", "constant_offset", "all_zero",
    "past_the_result", "wrong_identity", "last_bits", "border_only", "values_lost", "values_repeated", "values_moved",
    "out_of_order", "elements_lost", "not_stable", "order_lost", "empty_rows", "long_rows",
)  # fmt: skip
FINDING_NAMES = (
    "out_of_bounds", "misaligned", "use_after_free", "uninitialized", "race", "divergent_barrier", "deadlock",
    "host_access", "invalid_access", "trap", "device_assert", "unsupported", "leak", "ignored_error",
    "deep_launch", "failed_call",
)  # fmt: skip
NAMES = (*OUTPUT_NAMES, "host_computed", "slow", "crash", "cuda_error", "timeout", "memory", *FINDING_NAMES)


def _nothing_written(e: Errors) -> str | None:
    if e.wrong.all() and e.poisoned.all():
        return "nothing was written: the output still holds the garbage it was given"
    return None


def _partly_written(e: Errors) -> str | None:
    missing = int((e.wrong & e.poisoned).sum())
    if 0 < 0.9 * int(e.wrong.sum()) <= missing < e.count:
        first = int(np.flatnonzero(e.wrong)[0])
        return f"{part(missing, e.count, 'element')} never written, the first at index {first:,}"
    return None


def _empty(e: Errors) -> str | None:
    if e.n != 0:
        return None
    if not e.wrong.any():
        return "wrong for n = 0: an empty input has a result too"
    wanted = number(e.expected[int(np.flatnonzero(e.wrong)[0])])
    named = {"sum": ", the sum of nothing", "max": ", the identity of max", "min": ", the identity of min"}
    text = f"an empty input has a result too: for n = 0 it has to be {wanted}{named.get(e.operator, '')}"
    return text + (", and nobody wrote it" if e.poisoned[e.wrong].all() else "")


def _nan(e: Errors) -> str | None:
    if e.got.dtype.kind != "f":
        return None
    bad = np.isnan(e.got) & ~np.isnan(e.expected.astype(np.float64)) & ~e.poisoned
    count = int(bad.sum())
    return f"{part(count, e.count, 'value')} NaN where a number is expected" if count else None


def _all_zero(e: Errors) -> str | None:
    if e.count > 1 and not e.got.any() and e.wrong.sum() * 2 >= e.count:
        return "every element is zero"
    return None


def _not_stable(e: Errors) -> str | None:
    if e.n < 2 or e.count != 2 * e.n or e.expected.dtype.kind != "i" or e.wrong[::2].any():
        return None
    if not np.array_equal(np.sort(e.got[1::2]), np.sort(e.expected[1::2])):
        return None
    moved = part(int(e.wrong.sum()), e.n, "value")
    return f"the keys are right, but {moved} with another one of equal keys: not stable"


def _last_block(e: Errors) -> str | None:
    count, block = e.count, e.block
    if block <= 0 or count <= block:
        return None
    last = (count - 1) // block
    if int(np.flatnonzero(e.wrong)[0]) < last * block:
        return None
    partly = "the last, partly filled block" if count % block else "the last block"
    return f"{part(int(e.wrong.sum()), count, e.noun)} wrong, all in block {last:,}: {partly}{_unwritten(e)}"


def _from_second_block(e: Errors) -> str | None:
    count, indices = e.count, np.flatnonzero(e.wrong)
    first = int(indices[0])
    if first == 0 or indices.size < 0.8 * (count - first):
        return None
    for block in [e.block] if e.block else [1024, 512, 256, 128, 64, 32]:
        # The first few elements of the second block may be right by chance.
        if count > block and block <= first < block + max(2, block // 16):
            where = f"index {first:,}, blocks of {block:,}"
            return f"block 0 is right, wrong from the second block on ({where}){_unwritten(e)}"
    return None


def _wrong_tail(e: Errors) -> str | None:
    count, indices = e.count, np.flatnonzero(e.wrong)
    first = int(indices[0])
    if first == 0 or indices.size < 3 or indices.size < 0.95 * (count - first):
        return None
    return f"right up to index {first - 1:,}, wrong from {first:,} on to the end{_unwritten(e)}"


def _border_only(e: Errors) -> str | None:
    if e.width <= 0 or e.count % e.width != 0 or e.poisoned[e.wrong].any():
        return None
    height = e.count // e.width
    y, x = np.divmod(np.flatnonzero(e.wrong), e.width)
    distance = np.minimum.reduce([x, y, e.width - 1 - x, height - 1 - y])
    depth = 1 + int(distance.max())
    inside = max(0, e.width - 2 * depth) * max(0, height - 2 * depth)
    if 4 * inside < e.count or distance.min() > 0:
        return None
    lines = "row and column" if depth == 1 else f"{depth} rows and columns"
    return f"right inside, wrong only in the outermost {lines} of {e.width:,} x {height:,} pixels"


def _shifted(e: Errors) -> str | None:
    if e.count < 3:
        return None
    expected = e.expected
    needed = max(2, int(0.9 * (e.count - 1)))
    if int(e.wrong.sum()) * 2 < e.count or (expected[1:] == expected[:-1]).mean() > 0.5:
        return None
    if int((e.got[1:] == expected[:-1]).sum()) >= needed:
        return "shifted by one: each place holds what the place before it should (exclusive for inclusive?)"
    if int((e.got[:-1] == expected[1:]).sum()) >= needed:
        return "shifted by one: each place holds what the place after it should (inclusive for exclusive?)"
    return None


def _doubled(e: Errors) -> str | None:
    expected, got = _wrong_numbers(e)
    if expected.any() and np.allclose(got, 2 * expected, rtol=1e-6, atol=0):
        return "twice the expected value" + (f" in {expected.size:,} places" if expected.size > 1 else "")
    return None


def _every_kth(e: Errors) -> str | None:
    indices = np.flatnonzero(e.wrong)
    if indices.size < 3:
        return None
    step = int(np.gcd.reduce(np.diff(indices)))
    start = int(indices[0])
    if step < 2 or start >= step or indices.size < 0.9 * len(range(start, e.count, step)):
        return None
    return f"every {step:,}{_th(step)} element is wrong, from index {start:,} on{_unwritten(e)}"


def _overflow(e: Errors) -> str | None:
    if e.expected.dtype.itemsize < 8 and e.expected.dtype.kind != "f":
        return None
    expected, got = _wrong_numbers(e)
    if (np.abs(expected) < 2.0**31).any() or not np.isfinite(got).all() or (np.abs(got) > 2.0**32).any():
        return None
    difference = got - expected
    turns = np.round(difference / 2.0**32)
    if turns.all() and np.allclose(difference, turns * 2.0**32, rtol=1e-9):
        return "off by a multiple of 2^32: a 32-bit sum overflowed on the way"
    return None


def _unwritten(e: Errors) -> str:
    return ", never written" if float(e.poisoned[e.wrong].mean()) >= 0.9 else ""


def _single(e: Errors) -> str | None:
    if e.count > 2 and int(e.wrong.sum()) == 1:
        return f"just one of {e.count:,} elements is wrong, at index {int(np.flatnonzero(e.wrong)[0]):,}"
    return None if e.packed else single.single_element(e)


def _constant_offset(e: Errors) -> str | None:
    expected, got = _wrong_numbers(e)
    difference = got - expected
    if difference.size > 2 and (difference == difference[0]).all():
        return f"every wrong value is off by the same amount, {difference[0]:,.10g}"
    return None


Rules = tuple[tuple[str, Callable[[Errors], str | None]], ...]
PLACES = (
    "border_only", "last_block_only", "from_second_block", "out_of_order", "elements_lost", "every_kth", "wrong_tail",
    "partly_written", "shifted_by_one", "single_element",
)  # fmt: skip
SUMS_ONLY = ("doubled", "overflow", "constant_offset")
_NOTHING: Rules = (("empty_input", _empty), ("wrong_identity", single.wrong_identity))  # for n = 0
_RULES: Rules = (
    ("nothing_written", _nothing_written),
    ("nan", _nan),
    ("values_lost", values_lost),
    ("values_repeated", values_repeated),
    ("values_moved", values_moved),
    ("not_stable", _not_stable),
    ("border_only", _border_only),
    ("empty_rows", empty_rows),
    ("long_rows", long_rows),
    ("last_block_only", _last_block),
    ("from_second_block", _from_second_block),
    ("out_of_order", out_of_order),
    ("elements_lost", elements_lost),
    ("every_kth", _every_kth),
    ("wrong_tail", _wrong_tail),
    ("partly_written", _partly_written),
    ("wrong_identity", single.wrong_identity),
    ("all_zero", _all_zero),
    ("shifted_by_one", _shifted),
    ("doubled", _doubled),
    ("overflow", _overflow),
    ("first_block_only", single.first_block_only),
    ("tail_missing", single.tail_missing),
    ("single_element", _single),
    ("constant_offset", _constant_offset),
    ("order_lost", order_lost),
)


def candidates(errors: Errors) -> list[Pattern]:
    """All patterns that fit one wrong output, the most telling first."""
    if errors.n != 0 and not errors.wrong.any():
        return []
    found = []
    elements = errors.by_element()
    differences_tell = not errors.extreme and not is_sorting(elements)
    some_right = bool(errors.wrong.any() and not errors.wrong.all())  # for n = 0: of a result that has more elements
    with np.errstate(all="ignore"):
        for name, rule in _RULES if errors.n or some_right else _NOTHING:
            of = elements if name in PLACES else errors
            sentence = None if name in SUMS_ONLY and not differences_tell else rule(of)
            if sentence:
                found.append(Pattern(name, sentence))
    return found


def _wrong_numbers(e: Errors) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    kind = np.longdouble if e.expected.dtype.itemsize == 8 else np.float64
    return e.expected[e.wrong].astype(kind), e.got[e.wrong].astype(kind)


def _th(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
