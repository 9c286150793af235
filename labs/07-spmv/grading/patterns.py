"""What the rows of a sparse matrix say about the mistake in a result that has an element for each row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from autograder.explain.evidence import Errors
from autograder.explain.words import part

Lengths = npt.NDArray[np.int64]


def empty_rows(e: Errors) -> str | None:
    """Wrong in rows without a nonzero, and in no others."""
    rows = row_lengths(e)
    if rows is None or not (empty := rows == 0).any() or e.wrong[~empty].any():
        return None
    unwritten = ", never written" if e.poisoned[e.wrong].all() else ""
    which = part(int(e.wrong.sum()), int(empty.sum()), "empty row")
    return f"{which} wrong{unwritten}, and no other row"


def long_rows(e: Errors) -> str | None:
    """Wrong in the long rows, and only there."""
    rows = row_lengths(e)
    # A long row has two nonzeros or more. If all rows but the empty ones are wrong, their length is not the reason.
    if rows is None or e.wrong.all() or rows[e.wrong].min() <= max(1, rows[~e.wrong].max()):
        return None
    return f"wrong in all rows of {int(rows[e.wrong].min()):,} nonzeros or more, and right in all shorter ones"


def row_lengths(e: Errors) -> Lengths | None:
    """The length of the matrix row behind each element; None where the elements are not those of rows."""
    row_ptr = e.inputs.get("d_row_ptr")
    if row_ptr is None or row_ptr.size != e.got.size + 1:
        return None
    lengths = np.diff(row_ptr.astype(np.int64))
    return None if (lengths < 0).any() else lengths


RULES = (empty_rows, long_rows)
