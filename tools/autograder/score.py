"""Points for a verdict and a time."""

from __future__ import annotations

import math

from autograder.plan.manifest import FAR_BEHIND
from autograder.timing.measure import performance
from autograder.verdict import RIGHT, Verdict

CORRECT_SHARE = 0.6  # for right and clean output, unless it is far too slow; the rest is for time


def points(
    verdict: Verdict, worth: float, ratio: float | None, timed: bool = True, far_behind: float = FAR_BEHIND,
    evidence: float = 1.0,
) -> float:  # fmt: skip
    """Points for a task, down to a tenth; nothing is rounded up to full marks.

    `evidence`: the part of the task's evidence that there is; the same part of the points for time is given.
    If time should have been measured but was not (--no-time, --n), only the output's share is certain.
    """
    if verdict not in RIGHT:
        return 0.0
    if not timed:
        return math.floor(worth * CORRECT_SHARE * 10 + 1e-9) / 10
    factor = performance(ratio)
    exact = worth * (CORRECT_SHARE * min(1.0, factor / far_behind) + (1 - CORRECT_SHARE) * factor * evidence)
    return worth if factor == 1.0 and evidence == 1.0 else math.floor(exact * 10 + 1e-9) / 10
