"""What the sum of a histogram's counts says about the mistake in it."""

from __future__ import annotations

import numpy as np

from autograder.explain.evidence import Errors

# Counted more often than this, a value is not counted: some bin holds what was there before. A warp adds 32 times too
# much at most where every lane adds for all, a block 1,024 times.
MOST_TIMES = 1024


def values_lost(e: Errors) -> str | None:
    """The counts add up to less than n."""
    counted = _counted_values(e)
    if counted is None or counted >= e.n:
        return None
    return f"the counts add up to {counted:,} of {e.n:,} values: {e.n - counted:,} lost"


def values_repeated(e: Errors) -> str | None:
    """The counts add up to more than n."""
    counted = _counted_values(e)
    if counted is None or counted <= e.n:
        return None
    return f"the counts add up to {counted:,}, of only {e.n:,} values: some are counted more than once"


def values_moved(e: Errors) -> str | None:
    """The counts add up to n, but values are in wrong bins."""
    if _counted_values(e) != e.n:
        return None
    missing = int(np.maximum(e.expected.astype(np.int64) - e.got.astype(np.int64), 0).sum())
    return f"all {e.n:,} values are counted, {missing:,} of them in another bin than theirs"


def _counted_values(e: Errors) -> int | None:
    """How many values the counts add up to; None for other outputs of the lab, and for garbage."""
    is_histogram = e.expected.dtype.kind == "u" and e.expected.size > 1 and int(e.expected.sum(dtype=np.uint64)) == e.n
    if not is_histogram or bool(e.poisoned.any()):
        return None
    counted = int(e.got.sum(dtype=np.uint64))
    return counted if counted <= MOST_TIMES * e.n else None


RULES = (values_lost, values_repeated, values_moved)
