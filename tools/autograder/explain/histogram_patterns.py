"""What the sum of a histogram's counts tells of the mistake in it."""

from __future__ import annotations

import numpy as np

from autograder.explain.evidence import Errors


def counted_values(e: Errors) -> int | None:
    """How many values the counts of a histogram add up to; None for other outputs, and for garbage."""
    is_histogram = e.expected.dtype.kind == "u" and e.expected.size > 1 and int(e.expected.sum(dtype=np.uint64)) == e.n
    if not is_histogram or bool(e.poisoned.any()):
        return None
    counted = int(e.got.sum(dtype=np.uint64))
    return counted if counted <= 1024 * e.n else None


def values_lost(e: Errors) -> str | None:
    counted = counted_values(e)
    if counted is None or counted >= e.n:
        return None
    return f"the counts add up to {counted:,} of {e.n:,} values: {e.n - counted:,} lost"


def values_repeated(e: Errors) -> str | None:
    counted = counted_values(e)
    if counted is None or counted <= e.n:
        return None
    return f"the counts add up to {counted:,}, of only {e.n:,} values: some are counted more than once"


def values_moved(e: Errors) -> str | None:
    if counted_values(e) != e.n:
        return None
    missing = int(np.maximum(e.expected.astype(np.int64) - e.got.astype(np.int64), 0).sum())
    return f"all {e.n:,} values are counted, {missing:,} of them in another bin than theirs"
