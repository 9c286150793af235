"""What the sum of a histogram's counts says about the mistake in it."""

from __future__ import annotations

import numpy as np

from autograder.explain.evidence import Errors
from autograder.explain.words import counted

# A value that every thread of a block adds is counted 1,024 times at most. If a bin holds more, it holds
# what was in memory before.
MOST_TIMES = 1024


def values_lost(e: Errors) -> str | None:
    """The counts add up to less than n."""
    total = _counted_values(e)
    if total is None or total >= e.n:
        return None
    return f"the counts add up to {total:,} of {e.n:,} values: {e.n - total:,} lost"


def values_repeated(e: Errors) -> str | None:
    """The counts add up to more than n."""
    total = _counted_values(e)
    if total is None or total <= e.n:
        return None
    return f"the counts add up to {total:,}, for only {counted(e.n, 'value')}: some are counted more than once"


def values_moved(e: Errors) -> str | None:
    """The counts add up to n, but values are in wrong bins."""
    if _counted_values(e) != e.n:
        return None
    missing = int(np.maximum(e.expected.astype(np.int64) - e.got.astype(np.int64), 0).sum())
    return f"all {e.n:,} values are counted, {missing:,} of them in the wrong bin"


def _counted_values(e: Errors) -> int | None:
    """How many values the counts add up to; None for other outputs of the lab, and for garbage."""
    is_histogram = e.expected.dtype.kind == "u" and e.expected.size > 1 and int(e.expected.sum(dtype=np.uint64)) == e.n
    if not is_histogram or bool(e.poisoned.any()):
        return None
    total = int(e.got.sum(dtype=np.uint64))
    return total if total <= MOST_TIMES * e.n else None


RULES = (values_lost, values_repeated, values_moved)
