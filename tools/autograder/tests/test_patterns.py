"""Each pattern from arrays that show it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder.patterns import NAMES, Errors, candidates
from autograder.search import choose, over_sizes

N = 1000
DATA = np.random.default_rng(5).integers(1, 100, N)
SCAN = np.cumsum(DATA)
COUNTS = np.bincount(DATA % 8).astype(np.uint32)  # a histogram of the N values
POISON = -1


def errors(got: Any, expected: Any = SCAN, block: int = 256, data: Any = DATA, n: int | None = None) -> Errors:
    expected, got = np.atleast_1d(np.asarray(expected)), np.atleast_1d(np.asarray(got))
    wrong = ~(got == expected)
    return Errors(got.size if n is None else n, wrong, expected, got, got == POISON, block, data)


def changed(where: Any, value: Any) -> Any:
    got = SCAN.copy()
    got[where] = value
    return got


@pytest.mark.parametrize(
    ("pattern", "evidence"),
    [
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
        ("values_lost", errors(COUNTS - np.uint32(1), COUNTS, n=N)),
        ("values_repeated", errors(COUNTS * np.uint32(32), COUNTS, n=N)),
        ("values_moved", errors(np.roll(COUNTS, 1), COUNTS, n=N)),
        ("constant_offset", errors(COUNTS + np.uint32(0x81818181), COUNTS, n=N)),
    ],
)
def test_pattern(pattern: str, evidence: Errors) -> None:
    found = candidates(evidence)
    assert found and found[0].name == pattern, found
    assert found[0].sentence
    assert pattern in NAMES


def test_scattered_errors_have_no_pattern() -> None:
    got = changed([5, 77, 78, 400, 901], [1, 2, 3, 4, 5])
    assert candidates(errors(got)) == []


def test_a_larger_case_tells_last_block_from_second_block_on() -> None:
    two_blocks = errors(changed(slice(256, None), 3)[:400], SCAN[:400], data=DATA[:400])
    four_blocks = errors(changed(slice(256, None), 3))
    both = candidates(two_blocks)
    assert {pattern.name for pattern in both} >= {"last_block_only", "from_second_block"}
    chosen = choose([(400, both), (1000, candidates(four_blocks))])
    assert chosen is not None and chosen.name == "from_second_block"


def test_powers_of_two() -> None:
    found = over_sizes([1, 32, 256, 1024], [31, 33, 1000])
    assert found is not None and found.name == "powers_of_two_only"
    assert over_sizes([1, 32, 256, 300], [31, 33, 1000]) is None
    assert over_sizes([1, 2, 4], [8, 16]) is None
    tiles = over_sizes([1, 32, 256, 1024, 1025], [31, 33, 1000])
    assert tiles is not None and "fills its tiles" in tiles.sentence


def test_inclusive_scan_of_zeros_is_not_called_shifted() -> None:
    expected = np.zeros(100, np.int64)
    got = expected.copy()
    got[3] = 1
    assert candidates(errors(got, expected, data=expected))[0].name == "single_element"
