"""Calls that are cut off because they take long: of such a one, it is not known whether it is right."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.cause.limits import MOST_STEPS, has_ended, steps_of
from autograder.cause.rules import is_all_poison
from autograder.judge.batch import Prepared
from autograder.judge.outcome import Outcome

MOST_CUT_OFF = 2  # of the fresh calls
MOST_LOOKS = 8  # of failing calls that may go on
NEARLY = 0.9  # of the most that a call may take: it does not wait in vain


def is_undecided(outcome: Outcome, most: int) -> bool:
    """Whether a call was cut off that has written nothing wrong, and its own work without a change set no limit."""
    if outcome.wrong is None or {one.kind for one in outcome.findings} != {"deadlock"}:
        return False
    return most >= MOST_STEPS and steps_of([outcome]) > NEARLY * most and is_all_poison(outcome.wrong)


def may_go_on(before: Outcome, after: Outcome) -> bool:
    """Whether what had ended a call is gone, and it was cut off: how long a right one takes, nobody knows."""
    kinds = {one.kind for one in before.findings}
    is_cut_off = after.death is None and {one.kind for one in after.findings} == {"deadlock"}
    return is_cut_off and bool(kinds) and "deadlock" not in kinds and not has_ended(before)


def may_decide(decided: Sequence[bool], was_right: Sequence[bool], calls: Sequence[Sequence[Prepared]]) -> bool:
    """Whether the calls that were not cut off say enough: few were, none that was right, and not the largest.

    With many elements, a change that does far too much is slow.
    """
    sizes = [(one, call[0].case.n) for one, call in zip(decided, calls, strict=True)]
    most, most_cut_off = (max((n for one, n in sizes if one is which), default=-1) for which in (True, False))
    spoilt = any(was and not one for one, was in zip(decided, was_right, strict=True))
    return decided.count(False) <= MOST_CUT_OFF and most > most_cut_off and not spoilt


def next_larger(short: Sequence[list[Prepared]], calls: Sequence[list[Prepared]]) -> list[list[Prepared]]:
    """The smallest call with more elements than all short ones: these may have but one tile, or one block."""
    most = max(call[0].case.n for call in short)
    return sorted((one for one in calls if one[0].case.n > most), key=lambda one: one[0].case.n)[:1]
