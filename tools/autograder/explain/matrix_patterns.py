"""What the rows of a sparse matrix tell of the mistakes in a result that has an element for each row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from autograder.explain.evidence import Array, Errors, part

Lengths = npt.NDArray[np.int64]


def row_lengths(row_ptr: Array, count: int) -> Lengths | None:
    """The lengths of `count` rows; None if these are no row pointers for them."""
    if row_ptr.dtype != np.int32 or row_ptr.size != count + 1 or row_ptr[0] != 0:
        return None
    lengths = np.diff(row_ptr.astype(np.int64))
    return None if (lengths < 0).any() else lengths


def empty_rows(e: Errors) -> str | None:
    """Wrong in rows without a nonzero, and in no others."""
    if e.rows is None or not (empty := e.rows == 0).any() or e.wrong[~empty].any():
        return None
    unwritten = ", never written" if e.poisoned[e.wrong].all() else ""
    which = part(int(e.wrong.sum()), int(empty.sum()), "empty row")
    return f"{which} wrong{unwritten}, and no other row"


def long_rows(e: Errors) -> str | None:
    """Wrong in the long rows, and only there."""
    if e.rows is None or e.wrong.all() or e.rows[e.wrong].min() <= max(1, e.rows[~e.wrong].max()):
        return None
    return f"wrong in all rows of {int(e.rows[e.wrong].min()):,} nonzeros or more, and right in all shorter ones"
