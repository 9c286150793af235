"""Points and verdicts."""

from __future__ import annotations

import math
from typing import Literal

Verdict = Literal["AC", "WA", "SLOW", "CE", "RTE", "CHECK", "TLE", "MLE", "SKIP", "IE"]

CORRECT_SHARE = 0.6  # for right and clean output; the rest is for time
FULL_SPEED = 1.2  # as fast as 1 / 1.2 of the reference is as fast as it needs to be

MEANING: dict[str, str] = {
    "AC": "accepted",
    "WA": "wrong answer",
    "SLOW": "right, but slow",
    "CE": "does not compile",
    "RTE": "run-time error",
    "CHECK": "right output, wrong program",
    "TLE": "too long",
    "MLE": "too much memory",
    "SKIP": "not started",
    "IE": "the grader's or the machine's fault",
}


def performance(ratio: float | None) -> float:
    """The performance factor for T_reference / T_student; 1 where nothing was timed."""
    if ratio is None:
        return 1.0
    if not ratio > 0:  # NaN, too
        return 0.0
    return min(1.0, FULL_SPEED * ratio)


def points(verdict: Verdict, worth: float, ratio: float | None, timed: bool = True) -> float:
    """Points for a task, down to a tenth; nothing is rounded up to full marks.

    Where time was to be measured and was not (--no-time, --n), only the output's share is certain.
    """
    if verdict not in ("AC", "SLOW"):
        return 0.0
    if not timed:
        return math.floor(worth * CORRECT_SHARE * 10 + 1e-9) / 10
    factor = performance(ratio)
    exact = worth * (CORRECT_SHARE + (1 - CORRECT_SHARE) * factor)
    return worth if factor == 1.0 else math.floor(exact * 10 + 1e-9) / 10
