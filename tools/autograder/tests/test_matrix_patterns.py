"""Patterns of the rows of a sparse matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.explain.evidence import Errors
from autograder.explain.matrix_patterns import row_lengths
from autograder.explain.patterns import candidates
from autograder.tests.test_patterns import DATA, POISON, N


def product(wrong_rows: Any, got: int = 7) -> Errors:
    """A product with a matrix whose rows have 0, 1, 2, ..., 9, 0, 1, ... nonzeros."""
    rows = np.arange(N) % 10
    wrong = np.isin(np.arange(N), np.flatnonzero(wrong_rows(rows)))
    values = np.where(wrong, got, DATA)
    return Errors(9 * N, wrong, DATA, values, values == POISON, 256, rows=row_lengths(pointers(rows), N))


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
