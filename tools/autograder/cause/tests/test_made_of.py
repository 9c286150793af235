"""Of which elements of the input a wrong element is made, and of which it must be."""

from collections.abc import Callable

import numpy as np
import pytest

from autograder.cause.causes import Cause
from autograder.cause.elements import told
from autograder.cause.made_of import Probe, Unknown, cause_in, others
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Wrong
from autograder.plan.tables import Array, ArraySpec, Shape

Program = Callable[[Array], Array]
COUNT = 300


def cause_of(right: Program, yours: Program, given: Array, columns: int = 0) -> Cause | None:
    """What is said of a program that is wrong for this input."""
    spec = ArraySpec("d_in", given.dtype.str, given.size, columns=columns)
    output = ArraySpec("d_out", given.dtype.str, given.size, columns=columns)
    wanted, got = right(given), yours(given)
    checked = Checked(False, [wanted], [wanted != got], [wanted.size])
    wrong = Wrong(Shape([spec], [output]), [given], [got], checked, 0x81)
    indices = np.flatnonzero(wanted != got)
    probe = Probe(lambda inputs: (right(inputs[0]), yours(inputs[0])), [given], indices[[0, -1]].tolist())
    return cause_in(probe, wrong)


def values(count: int = COUNT) -> Array:
    return np.array([(at * 7919) % 1009 + 1 for at in range(count)], "<i4")


def sums(array: Array) -> Array:
    return np.cumsum(array, dtype="<i4")


def sums_of_blocks(array: Array) -> Array:
    return np.concatenate([np.cumsum(array[at : at + 256], dtype="<i4") for at in range(0, array.size, 256)])


def test_what_is_left_out() -> None:
    cause = cause_of(sums, sums_of_blocks, values())
    assert cause
    assert cause.title == "d_out[256] does not change with d_in[0] to d_in[255], and must"
    assert cause.seen == "the right d_out[256] changes with d_in[0] to d_in[256], yours with d_in[256]"
    assert cause.tried.startswith("another value in d_in[0] makes the right d_out[256] ")
    assert cause.tried.endswith(f", and yours stays {values()[256]}")


def test_what_is_too_much() -> None:
    cause = cause_of(lambda array: np.subtract(sums(array), array), sums, values(8))
    assert cause
    assert cause.title == "d_out[0] changes with d_in[0], and must not"
    assert cause.seen == ""  # the right one depends on nothing, which is said
    assert cause.tried == "another value in d_in[0] makes yours 92 in place of 1, and the right d_out[0] stays 0"


def test_other_elements() -> None:
    def transposed(array: Array) -> Array:
        return np.ascontiguousarray(array.reshape(4, 4).T).ravel()

    cause = cause_of(transposed, np.copy, values(16), columns=4)
    assert cause
    assert cause.title == ("d_out[1] changes with d_in[1] (row 0, column 1), not with d_in[4] (row 1, column 0)")


def test_nothing_is_said_where_there_is_no_such_difference() -> None:
    assert cause_of(lambda array: array * 2, lambda array: array * 3, values(8)) is None


def test_what_has_no_order_is_not_told() -> None:
    chosen = np.array([at * at % 31 < 12 for at in range(64)])

    def of_chosen(array: Array) -> Array:
        return np.full(64, array[chosen].sum(), "<i4")

    assert cause_of(of_chosen, lambda array: np.full(64, array[~chosen].sum(), "<i4"), values(64)) is None


def test_large_arrays_are_looked_at_in_parts() -> None:
    cause = cause_of(sums, sums_of_blocks, values(5000))
    assert cause
    assert "d_in[0] to d_in[255], and must" in cause.title


def test_a_result_that_differs_from_call_to_call_tells_nothing() -> None:
    drawn = iter(range(100))
    with pytest.raises(Unknown):
        cause_of(sums, lambda array: sums(array) + 1 + next(drawn), values(8))


def test_a_call_that_fails_tells_nothing() -> None:
    with pytest.raises(Unknown):
        Probe(lambda _: None, [values(8)], [0])


def test_other_values() -> None:
    assert [one.tolist() for one in others(np.array([3, 1, 2], "<i4"))] == [[1, 2, 1], [2, 3, 3], [1, 2, 3]]
    assert [one.tolist() for one in others(np.array([3, 1], "<f4"))] == [[1, 3], [1, 3]]
    assert others(np.array([5, 5], "<i4")) == []
    assert [one.tolist() for one in others(np.array([np.nan, 1, 2], "<f4"))] == [[1, 2, 1], [2, 2, 1]]


@pytest.mark.parametrize(
    ("indices", "columns", "text"),
    [
        ([], 0, "no element of d"),
        ([5], 0, "d[5]"),
        ([*range(24)], 0, "all of d"),
        ([2, 3, 4], 0, "d[2] to d[4]"),
        ([2, 3, 4, 9], 0, "d[2] to d[4] and d[9]"),
        ([1, 3, 5, 7], 0, "every 2nd element from d[1] to d[7]"),
        ([1, 2, 4, 8, 16, 20], 0, "d[1], d[2], d[4] and 3 others"),
        ([5], 6, "d[5] (row 0, column 5)"),
        ([6, 7, 8, 9, 10, 11], 6, "row 1 of d"),
        ([2, 8, 14, 20], 6, "column 2 of d"),
        ([6, 7, 12, 13], 6, "rows 1 to 2, columns 0 to 1 of d"),
        ([2, 8], 6, "rows 0 to 1, column 2 of d"),
    ],
)
def test_elements_in_words(indices: list[int], columns: int, text: str) -> None:
    mask = np.zeros(24, bool)
    mask[indices] = True
    assert told(mask, ArraySpec("d", "<i4", 24, columns=columns)).text == text


def test_elements_of_several_numbers() -> None:
    mask = np.array([False, True, False, False, True, True])
    assert told(mask, ArraySpec("d", "<i4", 6, members=["x", "y"])).text == "d[0] and d[2]"
    mask[:4] = False
    mask[5] = False
    assert told(mask, ArraySpec("d", "<i4", 6, members=["x", "y"])).text == "d[2].x"
