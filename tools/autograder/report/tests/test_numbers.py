"""Arrays as rows of numbers."""

from __future__ import annotations

import numpy as np

from autograder.report.numbers import Column, numbers, table

# ---- Arrays ----


def test_arrays_are_rows_that_fit() -> None:
    columns = [Column("in", ["1", "22", "333"]), Column("got", ["4", "5", "6"], [False, False, True])]
    assert table(columns, 0, 3, 80) == [
        "index   0  1   2",
        "in      1 22 333",
        "got     4  5   6",
        "               ^",
    ]
    rows = table([Column("in", [str(i) for i in range(100)])], 0, 100, 40)
    assert max(map(len, rows)) <= 40 and sum(row.startswith("index") for row in rows) > 3


def test_numbers() -> None:
    assert numbers(np.array([-336_211], np.int32)) == ["-336211"]  # as a program prints it; commas are between values
    assert numbers(np.array([1 / 3], np.float32)) == ["0.333333"]
    assert numbers(np.array([1 / 3], np.float32), exact=True) == ["0.333333343"]
    assert numbers(np.array([1, 2, 3, 4], np.int32), pairs=True) == ["(1, 2)", "(3, 4)"]
