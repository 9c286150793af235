"""Each pattern from arrays that show it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder.explain.evidence import Errors
from autograder.explain.explanation import Pattern
from autograder.explain.patterns.choice import choose
from autograder.explain.patterns.rules import GENERAL, candidates, names_of
from autograder.explain.words import counted
from autograder.judge.search import over_sizes

N = 1000
DATA = np.random.default_rng(5).integers(1, 100, N)
SCAN = np.cumsum(DATA)
PAIRS = np.array([3, 0, 3, 1, 5, 2, 5, 3, 5, 4, 9, 5], np.int32)  # key, value, ...: three runs of equal keys
POISON = -1


def errors(
    got: Any, expected: Any = SCAN, block: int = 256, data: Any = DATA, n: int | None = None, operation: str = ""
) -> Errors:
    expected, got = np.atleast_1d(np.asarray(expected)), np.atleast_1d(np.asarray(got))
    wrong = ~(got == expected)
    return Errors(got.size if n is None else n, wrong, expected, got, got == POISON, block, data, operation)


def extreme(got: Any, data: Any, operation: str = "max") -> Errors:
    """A wrong maximum or minimum."""
    return errors(got, data.max() if operation == "max" else data.min(), data=data, n=data.size, operation=operation)


LATE = np.where(np.arange(N) == 990, 5000, DATA)  # the largest is the tenth from the end
MIDDLE = np.where(np.arange(N) == 300, 5000, np.where(np.arange(N) == 400, 4000, DATA))
FIRST = np.where(np.arange(N) == 300, 4000, LATE)  # and the second largest in the second block


def changed(where: Any, value: Any) -> Any:
    got = SCAN.copy()
    got[where] = value
    return got


SORTED = np.sort(DATA)


def sorted_badly(got: Any, expected: Any = SORTED, data: Any = DATA) -> Errors:
    return errors(got, expected, data=data)


def pairs_with(values: dict[int, int]) -> Errors:
    """Pairs with other numbers at some places."""
    got = PAIRS.copy()
    for place, value in values.items():
        got[place] = value
    return errors(got, PAIRS, n=PAIRS.size // 2)


@pytest.mark.parametrize(
    ("pattern", "evidence"),
    [
        ("out_of_order", sorted_badly(np.roll(SORTED, 300))),
        ("elements_lost", sorted_badly(np.maximum(SORTED, 5))),
        ("order_lost", errors(np.random.default_rng(5).permutation(SCAN))),
        ("nothing_written", errors(np.full(N, POISON))),
        ("partly_written", errors(changed([5, 300, 301, 700], POISON))),
        ("last_block_only", errors(changed(slice(768, None), 3))),
        ("from_second_block", errors(changed(slice(256, None), 3))),
        ("from_second_block", errors(changed(slice(256, None), 3), block=0)),
        ("wrong_tail", errors(changed(slice(512, None), 3), block=1024)),
        ("single_element", errors(changed(17, 3))),
        ("every_kth", errors(changed(slice(3, None, 32), 3))),
        ("shifted_by_one", errors(SCAN - DATA)),
        ("shifted_by_one", errors(np.append(SCAN[1:], 7))),
        ("doubled", errors(2 * SCAN)),
        ("all_zero", errors(np.zeros(N, np.int64))),
        ("overflow", errors(SCAN, SCAN + 2**32)),
        ("constant_offset", errors(changed(slice(0, None, 1), SCAN + 5))),
        ("nan", errors(np.full(N, np.nan), SCAN.astype(float))),
        ("doubled", errors(2 * SCAN[-1], SCAN[-1], n=N)),
        ("tail_missing", errors(SCAN[-1] - DATA[-1], SCAN[-1], n=N)),
        ("single_element", errors(SCAN[-1] + DATA[3], SCAN[-1], n=N)),
        ("first_block_only", errors(SCAN[255], SCAN[-1], n=N)),
        ("tail_missing", errors(SCAN[-5], SCAN[-1], n=N)),
        ("empty_input", errors(5, 0, n=0)),
        ("wrong_identity", extreme(0, -DATA)),
        ("wrong_identity", extreme(0, DATA, "min")),
        ("wrong_identity", extreme(0, -DATA.astype(np.float32))),
        ("wrong_identity", extreme(7000, LATE)),
        ("wrong_identity", errors(np.zeros(N), -SCAN, operation="max")),
        ("first_block_only", extreme(FIRST[:256].max(), FIRST)),
        ("tail_missing", extreme(4000, FIRST)),
        ("tail_missing", extreme(np.iinfo(np.int64).min, DATA[:1])),
        ("single_element", extreme(4000, MIDDLE)),
        ("not_stable", pairs_with({1: 1, 3: 0})),
    ],
)
def test_pattern(pattern: str, evidence: Errors) -> None:
    found = candidates(evidence)
    assert found and found[0].name == pattern, found
    assert found[0].sentence
    assert pattern in names_of(GENERAL)


def test_only_values_that_change_places_are_not_stable() -> None:
    said = "the keys are right, but 3 of 6 values moved to another, equal key: not stable"
    assert candidates(pairs_with({5: 3, 7: 4, 9: 2}))[0].sentence == said
    for other in ({1: 7}, {0: 5, 4: 3}, {1: 1}):  # a value from nowhere, keys that moved, a value twice
        assert "not_stable" not in {pattern.name for pattern in candidates(pairs_with(other))}


def picture(x: slice, y: slice) -> Errors:
    """Wrong pixels of a picture, 40 wide and 25 high."""
    wrong = np.zeros((25, 40), bool)
    wrong[y, x] = True
    mask = wrong.ravel()
    return Errors(N, mask, DATA, np.where(mask, 0, DATA), np.zeros(N, bool), width=40)


def test_the_border_of_a_picture() -> None:
    sides = candidates(picture(slice(37, None), slice(None)))
    assert (sides[0].name, sides[0].sentence) == (
        "border_only", "right inside, wrong only in the outermost 3 rows and columns of 40 x 25 pixels"
    )  # fmt: skip
    top = candidates(picture(slice(None), slice(0, 1)))
    assert top[0].sentence == "right inside, wrong only in the outermost row and column of 40 x 25 pixels"
    for everywhere in (picture(slice(None), slice(None)), picture(slice(20, 23), slice(3, 5))):
        assert all(one.name != "border_only" for one in candidates(everywhere))


def test_a_wrong_maximum_gets_no_diagnosis_of_a_sum() -> None:
    data = np.array([-9, -4, -5, -1, -6], np.int32)
    names = {pattern.name for pattern in candidates(extreme(-5, data))}  # as if -4 were missing from a sum
    assert not names & {"doubled", "constant_offset", "overflow", "first_block_only"}
    assert {pattern.name for pattern in candidates(extreme(-2, np.array([-1, -1, -1])))} == set()
    assert candidates(extreme(2, np.array([3, 1, 1, 4], np.int32))) == []  # 4 twice its half: of a sum it would tell


def test_sentences_of_a_maximum_are_exact() -> None:
    assert "the result is 0, above every value of the input" in candidates(extreme(0, -DATA))[0].sentence
    assert "the largest without the last 10 of 1,000 elements" in candidates(extreme(4000, FIRST))[0].sentence
    assert "blocks of 256" in candidates(extreme(FIRST[:256].max(), FIRST))[0].sentence


def test_nothing_written_for_an_empty_input_says_what_is_wanted() -> None:
    lowest = np.iinfo(np.int32).min
    untouched = candidates(errors(POISON, lowest, n=0, operation="max"))[0]
    assert untouched.name == "empty_input"
    assert f"for n = 0 it must be {lowest:,}, the identity of max, and it was never written" in untouched.sentence
    assert "0, the sum of nothing" in candidates(errors(5, 0, n=0, operation="sum"))[0].sentence
    zero = candidates(errors(0, lowest, n=0, operation="max"))
    assert [pattern.name for pattern in zero] == ["empty_input", "wrong_identity"]


def test_one_element_left_out_of_a_result_without_an_input_is_told_as_such() -> None:
    rows = np.zeros(700, np.int32)
    left_out = np.where(np.arange(700) == 699, POISON, rows)
    names = {one.name for one in candidates(errors(left_out, rows, n=0))}
    assert "partly_written" in names and "empty_input" not in names
    assert [one.name for one in candidates(errors(np.full(700, POISON), rows, n=0))] == ["empty_input"]


def test_one_is_singular() -> None:
    assert candidates(errors(changed([5], POISON)))[0].sentence.startswith("1 of 1,000 elements is never written")
    assert (counted(1, "value"), counted(2, "value")) == ("1 value", "2 values")


def test_scattered_errors_have_no_pattern() -> None:
    got = changed([5, 77, 78, 400, 901], [1, 2, 3, 4, 5])
    assert candidates(errors(got)) == []


def test_a_larger_case_tells_last_block_from_second_block_on() -> None:
    two_blocks = errors(changed(slice(256, None), 3)[:400], SCAN[:400], data=DATA[:400])
    four_blocks = errors(changed(slice(256, None), 3))
    both = candidates(two_blocks)
    assert {pattern.name for pattern in both} >= {"last_block_only", "from_second_block"}
    chosen = choose([(400, "", both), (1000, "", candidates(four_blocks))])
    assert [pattern.name for pattern in chosen] == ["from_second_block"]


TAIL, DOUBLED = Pattern("tail_missing", "the last element is missing"), Pattern("doubled", "twice")
EMPTY = Pattern("empty_input", "has to be 0")


def test_the_smallest_size_is_told_first_and_another_names_its_n() -> None:
    assert choose([(0, "", [EMPTY]), (33, "", [TAIL]), (1025, "", [TAIL])]) == [
        EMPTY, Pattern("tail_missing", "and at n = 33: the last element is missing")
    ]  # fmt: skip
    assert choose([(33, "", [DOUBLED, TAIL]), (1025, "", [TAIL])]) == [TAIL]
    tiny = choose([(1, "", [DOUBLED]), (33, "", [TAIL]), (1025, "", [TAIL])])
    assert tiny == [Pattern("tail_missing", "a larger size shows more: at n = 33: the last element is missing")]
    assert choose([(5, "", []), (7, "", [])]) == []


def test_a_pattern_of_another_variant_names_it() -> None:
    nan = Pattern("nan", "1 of 33 values is NaN where a number is expected")
    told = choose([(1, "sum_int32", [DOUBLED]), (33, "sum_float32", [nan]), (99, "sum_float32", [nan])])
    assert told[0].sentence == f"a larger size shows more: at n = 33 (sum_float32): {nan.sentence}"
    same = choose([(1, "sum_int32", [DOUBLED]), (1, "sum_float32", [nan]), (9, "sum_float32", [nan])])
    assert same[0].sentence == f"another variant shows more: at n = 1 (sum_float32): {nan.sentence}"


def test_powers_of_two() -> None:
    assert over_sizes([1, 32, 256, 1024], [31, 33, 1000]) == "powers_of_two"
    assert over_sizes([1, 32, 256, 300], [31, 33, 1000]) == ""
    assert over_sizes([1, 2, 4], [8, 16]) == ""
    assert over_sizes([1, 32, 256, 1024, 1025], [31, 33, 1000]) == "powers_of_two_and_tiles"


def test_inclusive_scan_of_zeros_is_not_called_shifted() -> None:
    expected = np.zeros(100, np.int64)
    got = expected.copy()
    got[3] = 1
    assert candidates(errors(got, expected, data=expected))[0].name == "single_element"


def test_a_sort_that_loses_elements_says_which_and_what_is_there_instead() -> None:
    data = np.array([5, 3, 9, 3, 7])
    lost = candidates(sorted_badly([0, 3, 5, 7, 9], np.sort(data), data))
    assert [p.sentence for p in lost if p.name == "elements_lost"] == [
        "1 of 5 elements is lost, such as 3; 0 is in the output, but not in the input"
    ]
    doubled = candidates(sorted_badly([3, 3, 7, 7, 9], np.sort(data), data))
    assert "5; 7 occurs too often" in doubled[0].sentence
    floats = np.array([np.nan, 2.0, -0.0], np.float32)
    gone = candidates(sorted_badly(np.array([-0.0, 2, 2], np.float32), np.array([-0.0, 2, np.nan], np.float32), floats))
    assert "1 of 3 elements is lost, such as nan; 2 occurs too often" in [p.sentence for p in gone]


def test_only_another_order_of_the_input_is_a_sort() -> None:
    zeros = np.zeros(100, np.int64)
    got = zeros.copy()
    got[[3, 50]] = 1
    names = {pattern.name for pattern in candidates(errors(got, zeros, data=zeros))}
    assert names.isdisjoint({"out_of_order", "elements_lost"})
    assert not {"out_of_order"} & {p.name for p in candidates(errors(SCAN[::-1].copy()))}


def test_differences_tell_nothing_of_a_sort() -> None:
    data = np.arange(100)[::-1].copy()
    found = {pattern.name for pattern in candidates(sorted_badly(np.arange(100) + 3, np.arange(100), data))}
    assert "elements_lost" in found and "constant_offset" not in found
