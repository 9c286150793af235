"""Changes by which a condition says always the same, or no longer counts."""

from __future__ import annotations

import re

from autograder.cause.causes import kind_of
from autograder.cause.change import Change


def is_constant(change: Change) -> bool:
    """Whether a condition then says always the same.

    A comparison of a count or an index with 0 or 1 that is turned round, or a choice between two numbers without it:
    `i == 0 ? 1 : 0` is a condition, and to do the work always is a way round a wrong one.
    """
    if kind_of(change) == "choice":
        return (
            re.fullmatch(r"[\w.]*", change.now) is not None
            and re.search(r"\? [\d.]\S* : [\d.]\S*$", change.was) is not None
        )
    return kind_of(change) == "comparison" and re.search(r"(<=?|>=?) [01]$", change.now) is not None


def leaves_condition_out(change: Change) -> bool:
    """Whether a condition, or a part of it, no longer counts."""
    return kind_of(change) == "part_of_condition" or (kind_of(change) == "condition" and change.now == "true")
