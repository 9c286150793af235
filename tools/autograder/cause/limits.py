"""How much work a call may do with a change, by what it does without."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.judge.batch import Prepared
from autograder.judge.outcome import Outcome

# Warp instructions of a launch
LEAST_STEPS, MORE_STEPS = 20_000, 4  # at least; and times those of the failing call
MOST_STEPS = 4_000_000  # of a fresh call without a change
SKIPPED = 32  # times the work of a fresh call that may have skipped most of it, up to MOST_STEPS
CUT_OFF_STEPS = 200_000  # of a right one, at least, where the call without a change does not come to its end
STEPS_EACH = 64  # for an element: not too many, whatever the call without a change took
STEPS_EACH_OF_FEW, FEW_STEPS = 512, 1_000_000  # the same for few elements: a warp for each, up to so many in all
ENDLESS_STEPS = 1 << 18  # where the call itself does not end


def _not_too_many(calls: Sequence[Prepared]) -> int:
    """Warp instructions that a right program may take: where one skips most of its work, a right one takes far more."""
    elements = max(max(one.case.n, sum(array.size for array in one.inputs)) for one in calls)
    return max(STEPS_EACH * elements, min(STEPS_EACH_OF_FEW * elements, FEW_STEPS))


def has_ended(outcome: Outcome) -> bool:
    """Whether a call came to its end, right or wrong."""
    return outcome.reply is not None and outcome.reply.status == "ok"


def step_limit(outcomes: Sequence[Outcome], calls: Sequence[Prepared]) -> int:
    """Warp instructions that a launch may take with a change. Of a call that was cut off this is not known.

    What it has read outside an array may be the end of a loop: then it tells only how long a wrong call is.
    """
    if not all(has_ended(one) for one in outcomes):
        return max(CUT_OFF_STEPS, _not_too_many(calls))
    return max(LEAST_STEPS, MORE_STEPS * steps_of(outcomes), _not_too_many(calls))


def steps_of(outcomes: Sequence[Outcome]) -> int:
    """Warp instructions of the longest launch."""
    return max((kernel.total.instructions for one in outcomes for kernel in one.kernels), default=0)


def fresh_limit(outcome: Outcome, calls: Sequence[Prepared]) -> int:
    """Warp instructions that a fresh call may take with a change, by what it does without."""
    return max(step_limit([outcome], calls), min(SKIPPED * steps_of([outcome]), MOST_STEPS))
