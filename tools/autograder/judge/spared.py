"""Calls that can show nothing new, because a kernel does the same in every schedule.

The virtual GPU says of a kernel whether its threads learn of each other by plain accesses and barriers alone. Such a
kernel has one result, unless it has a race, and the check tells of a race in any schedule. So one call of an input is
enough, each in a schedule of its own, if it is checked, or is large and its kernels were checked in another large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from autograder.judge.outcome import Outcome


def is_order_free(outcome: Outcome) -> bool:
    """Whether no schedule changes what the call's kernels do. Of a call without kernels it is not known."""
    return bool(outcome.kernels) and all(kernel.order_free for kernel in outcome.kernels)


def kernels_of(outcome: Outcome) -> set[str]:
    """The names of a call's kernels, the same for all types of their elements."""
    return {kernel.name.partition("<")[0] for kernel in outcome.kernels}


def is_settled(outcome: Outcome, checked: Set[str] = frozenset()) -> bool:
    """Whether no other schedule of the same input can have another outcome: it is checked, and there is no finding.

    `checked`: kernels of other calls that were.
    """
    report = outcome.reply.report if outcome.reply else None
    clean = report is not None and not report.findings  # not even a note
    seen = outcome.with_checks or kernels_of(outcome) <= checked
    return clean and outcome.ok and seen and is_order_free(outcome)


def is_calm(outcomes: Iterable[Outcome]) -> bool:
    """Whether all kernels of a task so far do the same in every schedule, and the checks have seen it."""
    begun = [one for one in outcomes if one.kernels]
    return any(is_settled(one) for one in begun) and all(is_order_free(one) for one in begun)
