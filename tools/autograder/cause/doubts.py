"""Doubts about changes that hold: what may go as a whole is not wrong in its parts, an arbitrary one is no cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from autograder.cause.causes import kind_of, rank
from autograder.cause.change import Change
from autograder.cause.conditions import leaves_condition_out
from autograder.cause.experiments import Repair
from autograder.cause.fresh import LEAST_FRESH

# Changes that take something out, or make a condition constant, repair a call easily by doing less.
CRUDE = 5
# Another value stands there.
IN_ITS_PLACE = ("name", "unused", "thread_index", "missing_term", "looked_up", "size", "term")
ARBITRARY = 3  # so many values in one place repair a call: it does not matter which
ARBITRARY_CONDITION = 2  # kinds of changes that repair a call in a condition without which it is right as well
# With these a condition may never hold: if nobody has to leave by it, it is the leaving that is wrong.
OF_CONDITION = ("comparison", "joined", "part_of_condition", "missing_condition", "unequal")
BEHIND_CONDITION = 3  # lines from a condition, which may have a name, to what threads leave by
BESIDE_CONDITION = 1  # the same for changes of any kind, which are in the condition itself
BARRIERS = ("missing_barrier", "several_barriers", "moved_barrier", "weak_barrier", "warp_barrier", "fence")
OF_PART = ("thread_index", "joined", "number")  # less likely than that the part of a condition is wrong as a whole

Held = list[tuple[Repair, Change]]


def _holding(repairs: Sequence[Repair]) -> Held:
    """Those that hold, with their changes, but for places where it does not matter what stands there.

    There almost any other value repairs the call, because something is no longer done that depends on it.
    """
    holding = [(one, one.trial) for one in repairs if one.holds and isinstance(one.trial, Change)]
    others = {(kind_of(change), change.line, change.was, change.now) for _, change in holding}
    ways = Counter((kind, line, was) for kind, line, was, _ in others)
    return [
        (one, change)
        for one, change in holding
        if change.kind not in IN_ITS_PLACE or ways[kind_of(change), change.line, change.was] < ARBITRARY
    ]


def beyond_doubt(repairs: Sequence[Repair]) -> Held:
    """Those that hold, but for changes of a condition without which the program is right as well.

    If several kinds of changes there repair it, they only let more through: the mistake may be what comes then.
    """
    holding = _holding(repairs)
    doubted = _doubted(repairs, holding)
    return [(one, change) for one, change in holding if change not in doubted]


def believed(repairs: Sequence[Repair]) -> Held:
    """The same; if nothing else is likely, a condition that may go is wrong as a whole."""
    sure, holding = beyond_doubt(repairs), _holding(repairs)
    if any(rank(change) < CRUDE for _, change in sure):
        return sure
    parts = {change for change in _doubted(repairs, holding) if not leaves_condition_out(change)}
    return [(one, change) for one, change in holding if change not in parts]


def _doubted(repairs: Sequence[Repair], holding: Held) -> set[Change]:
    """A condition that may go, and its parts. It may be a way round the mistake: then neither is its cause."""
    doubted: set[Change] = set()
    for term in _terms_left_out(repairs):  # the one is as likely as the other
        if added := {one for _, one in holding if is_counterpart(one, term)}:
            doubted |= {term, *added}
    right = [one.trial for one in repairs if isinstance(one.trial, Change) and one.right == one.of >= LEAST_FRESH]
    for whole in (change for change in right if leaves_condition_out(change)):
        parts = [change for _, change in holding if _is_in_left_out(change, whole)]
        if len({kind_of(one) for one in parts}) >= ARBITRARY_CONDITION:
            doubted |= {whole, *parts}
    return doubted


def leaves_out(change: Change, repairs: Sequence[Repair]) -> bool:
    """Whether it leaves out what another change that holds is about: then that may only keep it from being done.

    It is a statement, a part of a condition, or what threads leave by under a condition.
    """
    held = [one.trial for one in repairs if one.holds and isinstance(one.trial, Change)]
    kind = kind_of(change)
    if kind == "leaves":
        return any(0 <= change.line - one.line <= _reach(kind_of(one)) for one in held)
    if kind == "part_of_condition":
        return any(kind_of(one) in OF_PART and _is_in_left_out(one, change) for one in held)
    return kind == "statement" and any(change.line <= one.line <= change.last for one in held)


def _reach(kind: str) -> int:
    """How many lines behind a change of this kind threads may leave because of it."""
    if kind in ("leaves", "statement", "guard", *BARRIERS):
        return -1
    return BEHIND_CONDITION if kind in OF_CONDITION else BESIDE_CONDITION


def is_doubt(change: Change, repairs: Sequence[Repair]) -> bool:
    """Whether it is tried to see whether another change that holds is a repair: it leaves out what that is about."""
    if not leaves_condition_out(change):
        return leaves_out(change, repairs) or any(is_counterpart(change, one) for one in _terms_left_out(repairs))
    held = [one.trial for one in repairs if one.holds and isinstance(one.trial, Change)]
    return any(_is_in_left_out(one, change) for one in held)


def _terms_left_out(repairs: Sequence[Repair]) -> list[Change]:
    held = [one.trial for one in repairs if one.holds and isinstance(one.trial, Change)]
    return [one for one in held if kind_of(one) == "term" and one.now in one.was]


def is_counterpart(change: Change, left_out: Change) -> bool:
    """Whether it adds near by what the other change leaves out: n - head and i, or n and i + head.

    Often both are right. What is left out then only lets more be done, or what is missing is missing elsewhere.
    """
    term = left_out.was.replace(left_out.now, "", 1).strip(" +-")
    added = change.now.endswith((f"+ {term}", f"- {term}"))
    return kind_of(change) == "missing_term" and added and abs(change.line - left_out.line) <= BEHIND_CONDITION


def _is_in_left_out(part: Change, whole: Change) -> bool:
    """Whether a change is in what another one leaves out of a condition."""
    out = whole.was.replace(whole.now, "", 1)
    return not leaves_condition_out(part) and part.line == whole.line and bool(part.was) and part.was in out
