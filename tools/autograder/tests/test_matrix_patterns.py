"""What wrong rows of a product with a sparse matrix have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.evidence import Errors
from autograder.matrix_patterns import row_lengths
from autograder.patterns import candidates

N = 1000
POISON = -1
VALUES = np.random.default_rng(5).integers(1, 100, N)


def product(wrong_rows: Any, got: int = 7) -> Errors:
    """A product with a matrix whose rows have 0, 1, 2, ..., 9, 0, 1, ... nonzeros."""
    rows = np.arange(N) % 10
    wrong = np.isin(np.arange(N), np.flatnonzero(wrong_rows(rows)))
    values = np.where(wrong, got, VALUES)
    return Errors(9 * N, wrong, VALUES, values, values == POISON, 256, rows=row_lengths(pointers(rows), N))


def pointers(rows: Any) -> Any:
    return np.append(0, np.cumsum(rows)).astype(np.int32)


def test_rows_of_a_sparse_matrix() -> None:
    empty = candidates(product(lambda rows: rows == 0, POISON))[0]
    assert (empty.name, empty.sentence) == (
        "empty_rows", "100 of 100 empty rows are wrong, never written, and no other row"
    )  # fmt: skip
    long = candidates(product(lambda rows: rows > 7))[0]
    assert (long.name, long.sentence) == (
        "long_rows", "wrong in all rows of 8 nonzeros or more, and right in all shorter ones"
    )  # fmt: skip
    for other in (lambda rows: rows < 2, lambda rows: rows == 5, lambda rows: rows >= 0):
        assert not {pattern.name for pattern in candidates(product(other))} & {"empty_rows", "long_rows"}
    assert row_lengths(pointers([1, 2]), 3) is None
    assert row_lengths(np.array([0, 2, 1], np.int32), 2) is None


def keyed(got: Any, given: Any, kind: type = np.int32) -> Errors:
    """Pairs, two numbers each, sorted badly."""
    wanted = given[np.argsort(given[:, 0], kind="stable")]
    flat: list[Any] = [np.ascontiguousarray(array, kind).ravel() for array in (got, wanted, given)]
    wrong = flat[0] != flat[1]
    n = len(given)
    return Errors(n, wrong, flat[1], flat[0], np.zeros(2 * n, bool), 32, flat[2], pairs=pairs_of(n, [flat[2]], flat[0]))


def test_a_pair_is_one_element() -> None:
    given = np.array([[n * 7 % 100, n] for n in range(100)])
    good = given[np.argsort(given[:, 0], kind="stable")]
    fifth = good.copy()
    fifth[3::5] = -1
    lost = candidates(keyed(fifth, given))[0].sentence
    assert lost.startswith("20 of 100 elements are lost, such as (28, 4); (-1, -1) is there")
    assert "every 5th element is wrong, from index 3 on" in {one.sentence for one in candidates(keyed(fifth, given))}
    last = good.copy()
    last[96:, 1] = 7
    assert candidates(keyed(last, given))[0].sentence == (
        "4 of 100 elements are wrong, all in block 3: the last, partly filled block"
    )
    assert candidates(keyed(np.roll(good, 1, axis=0), given))[0].name == "out_of_order"
    floats = keyed(np.roll(good, 1, axis=0), given, np.float32).by_element()
    assert (floats.count, floats.text(floats.got[0])) == (100, "(99, 57)")


def test_two_outputs_for_each_input_are_no_pairs() -> None:
    twice = np.zeros(8, np.int32)
    assert pairs_of(4, [twice], twice)
    assert not pairs_of(4, [twice[:4]], twice) and not pairs_of(8, [twice], twice) and not pairs_of(0, [], twice[:0])
