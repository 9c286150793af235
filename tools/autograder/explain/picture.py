"""Which elements of a wrong output are wrong, small enough to be drawn and kept with the result."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.explain.evidence import Errors, errors_of
from autograder.explain.explanation import Picture
from autograder.judge.outcome import Outcome

CELLS = 512  # of a strip
EDGE = 64  # cells of an image, each way
FEW = 16  # elements; in fewer there is no pattern
MOST_TRIED = 12  # larger calls that are looked at

Mask = npt.NDArray[np.bool_]


def picture_of(shown: Outcome, others: Sequence[Outcome]) -> Picture | None:
    """A picture of the failing call, or of the next larger one that shows a pattern: enough elements, some right."""
    least = max(FEW, shown.case.n + 1)
    larger = sorted((one for one in others if one.wrong and one.case.n >= least), key=lambda one: one.case.n)
    drawn = [(one.case, errors_of(one, one.wrong).elements) for one in (shown, *larger[:MOST_TRIED]) if one.wrong]
    if not drawn:
        return None
    telling = ((case, e) for case, e in drawn if e.count >= FEW and not e.wrong.all() and _has_area(e))
    case, errors = next(telling, drawn[0])
    picture = _drawn(errors)
    return msgspec.structs.replace(picture, n=case.n, variant=case.variant) if picture else None


def _has_area(e: Errors) -> bool:
    """A strip, or an image with more than a few rows and columns."""
    return not _is_image(e) or min(e.width, e.count // e.width) >= FEW // 2


def _is_image(e: Errors) -> bool:
    return 1 < e.width < e.count and e.count % e.width == 0


def _drawn(e: Errors) -> Picture | None:
    """The picture; None if there is at most one element, or none is wrong."""
    if e.count < 2 or not e.wrong.any():
        return None
    if _is_image(e):
        height = e.count // e.width
        size = -(-max(e.width, height) // EDGE)
        return Picture(_cells(e, e.width, size, size), size, -(-e.width // size), 0)
    size = -(-e.count // CELLS)
    return Picture(_cells(e, e.count, size, 1), size, 0, e.block)


def _cells(e: Errors, width: int, wide: int, high: int) -> str:
    """The marks of all cells, row by row; a cell has `wide` times `high` of the elements, which lie in rows."""
    height = e.count // width
    rows, columns = -(-height // high), -(-width // wide)

    def counts(mask: Mask) -> npt.NDArray[np.intp]:
        padded = np.zeros((rows * high, columns * wide), np.bool_)
        padded[:height, :width] = mask.reshape(height, width)
        found: npt.NDArray[np.intp] = np.count_nonzero(padded.reshape(rows, high, columns, wide), axis=(1, 3))
        return found

    wrong, all_of_it = counts(e.wrong), counts(np.ones(e.count, np.bool_))
    unwritten = counts(e.wrong & e.poisoned)
    marks = np.where(wrong == 0, ".", np.where(wrong < all_of_it, "-", np.where(unwritten < all_of_it, "x", "u")))
    return "".join(marks.ravel().tolist())
