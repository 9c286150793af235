"""What is said of a wrong output: sentences that are true of it, whatever made it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder.explain.evidence import Errors
from autograder.explain.kinds import kind_title
from autograder.explain.observed import observed
from autograder.judge.outcome import are_pairs
from autograder.judge.search import over_sizes
from autograder.words import counted

N = 1000
DATA = np.random.default_rng(5).integers(1, 100, N)
SCAN = np.cumsum(DATA)
POISON = -1


def errors(got: Any, expected: Any = SCAN, n: int | None = None) -> Errors:
    expected, got = np.atleast_1d(np.asarray(expected)), np.atleast_1d(np.asarray(got))
    wrong = ~(got == expected)
    return Errors(got.size if n is None else n, wrong, expected, got, got == POISON)


def changed(where: Any, value: Any) -> Any:
    got = SCAN.copy()
    got[where] = value
    return got


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        (np.full(N, POISON), "nothing was written: all 1,000 values hold what was in the memory before"),
        (changed([5, 300, 301, 700], POISON), "never written: 4 of 1,000 values, the first at index 5"),
        (changed([5, 300], [POISON, 7]), "never written: 1 of 1,000 values, at index 5"),
        (np.zeros(N, np.int64), "all 1,000 values are 0"),
        (np.append(0, SCAN[:-1]), "from index 1 on, each value is the one expected one place before it"),
        (np.append(SCAN[1:], 7), "each value but the last is the one expected one place after it"),
        (np.roll(SCAN, 1), "all expected values are there, 1,000 of 1,000 at another place"),
        (SCAN[::-1].copy(), "all expected values are there, 1,000 of 1,000 at another place"),
        (changed([3, 4], SCAN[[4, 3]]), "all expected values are there, 2 of 1,000 at another place"),
        (SCAN + 5, "all 1,000 wrong values are too large by 5"),
        (changed([1, 7, 9], SCAN[[1, 7, 9]] - 1234), "all 3 wrong values are too small by 1,234"),
        (changed([1, 7], SCAN[[1, 7]] + 2**33), "2 of 1,000 values are off by a multiple of 2^32"),
        (SCAN * 3, "all 1,000 values are wrong"),
        (changed(slice(3, None, 32), 3), "every 32nd value from index 3 on is wrong, and no other"),
        (changed(slice(256, None), 3), "744 of 1,000 values are wrong: all from index 256 on"),
        (changed(999, 3), "1 of 1,000 values is wrong, at index 999"),
        (changed([5, 77, 78, 400, 901], [1, 2, 3, 4, 5]), "5 of 1,000 values are wrong, the first at index 5"),
        (np.full(N, np.nan), "1,000 of 1,000 values are NaN, the first at index 0"),
    ],
)
def test_one_true_sentence(got: Any, sentence: str) -> None:
    expected = SCAN.astype(float) if np.asarray(got).dtype.kind == "f" else SCAN
    assert observed(errors(got, expected)) == sentence


@pytest.mark.parametrize("n", [0, 1, 2])
def test_nothing_is_said_of_so_few_elements(n: int) -> None:
    assert observed(errors(np.full(n, POISON), SCAN[:n])) == ""
    assert observed(errors(np.full(700, POISON), np.zeros(700), n=n)) == ""


def test_nothing_is_said_of_a_single_result() -> None:
    assert observed(errors(SCAN[-1] - DATA[-1], SCAN[-1], n=N)) == ""
    assert observed(errors(SCAN[-1] - 2**32, SCAN[-1], n=N)) == "1 of 1 value is off by a multiple of 2^32"


def test_bytes_that_look_untouched_by_chance_are_not_called_so() -> None:
    pixels = np.arange(256, dtype=np.uint8)
    wrong = pixels + np.uint8(1)
    said = observed(Errors(256, wrong != pixels, pixels, wrong, wrong == 7))
    assert "written" not in said
    untouched = np.where(pixels < 9, 7, pixels).astype(np.uint8)
    said = observed(Errors(256, untouched != pixels, pixels, untouched, untouched == 7))
    assert said == "never written: 8 of 256 values, the first at index 0"


def test_a_shift_of_equal_values_is_not_called_one() -> None:
    zeros = np.zeros(100, np.int64)
    got = zeros.copy()
    got[3] = 1
    assert observed(errors(got, zeros)) == "1 of 100 values is wrong, at index 3"


def test_a_pair_is_one_element() -> None:
    wanted = np.array([[n // 3, n] for n in range(100)], np.int32).ravel()

    def said(got: Any) -> str:
        return observed(Errors(100, got != wanted, wanted, got, got == POISON, pairs=are_pairs(100, [wanted], got)))

    fifth = wanted.copy().reshape(100, 2)
    fifth[3::5] = 99
    assert said(fifth.ravel()) == "every 5th element from index 3 on is wrong, and no other"
    swapped = wanted.copy().reshape(100, 2)
    swapped[[0, 1]] = swapped[[1, 0]]  # equal keys with each other's values
    assert said(swapped.ravel()) == "all expected elements are there, 2 of 100 at another place"
    floats = Errors(100, wanted != 0, wanted.astype(np.float32), wanted.astype(np.float32), wanted < 0, pairs=True)
    assert (floats.elements.count, floats.elements.text(floats.elements.got[7])) == (100, "(2, 7)")


def test_two_outputs_for_each_input_are_no_pairs() -> None:
    twice = np.zeros(8, np.int32)
    assert are_pairs(4, [twice], twice)
    assert not are_pairs(4, [twice[:4]], twice) and not are_pairs(8, [twice], twice) and not are_pairs(0, [], twice[:0])


def test_powers_of_two() -> None:
    assert over_sizes([1, 32, 256, 1024], [31, 33, 1000]) == "powers_of_two"
    assert over_sizes([1, 32, 256, 300], [31, 33, 1000]) == ""
    assert over_sizes([1, 2, 4], [8, 16]) == ""
    assert over_sizes([1, 32, 256, 1024, 1025], [31, 33, 1000]) == "powers_of_two_and_tiles"


def test_one_is_singular() -> None:
    assert (counted(1, "value"), counted(2, "value")) == ("1 value", "2 values")


def test_a_kind_has_the_same_words_for_everybody() -> None:
    assert kind_title("race") == "race in memory"
    assert kind_title("out_of_bounds") == "out of bounds: access outside an array in memory"
    assert kind_title("not_reset") == "a variable of the device keeps its value from the call before"
    assert kind_title("") == kind_title("no_such_kind") == ""
