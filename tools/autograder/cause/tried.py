"""What became of the changes of a program, and what it refutes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.cause.causes import kind_of
from autograder.cause.change import ORDERS, Change
from autograder.cause.experiments import Laboratory, Repair
from autograder.cause.likely import lines_found
from autograder.judge.outcome import Outcome

LIKELIER = ("guard", "missing_condition", "edge", "bound", "index")  # than an array that is too small


@dataclass
class Tried:
    """What became of the changes of a program."""

    changes: Sequence[Change] = ()
    found: list[Repair] = field(default_factory=list)
    ran: Collection[int] = ()  # lines of kernels in the failing call
    parts: Mapping[Change, int] = field(default_factory=dict)  # that repair a part: see Laboratory.parts
    laboratory: Laboratory | None = None
    asked: Sequence[Change] = ()  # the changes that may explain what was found


def needs_more_room(shown: Outcome) -> bool:
    """Whether anything depends on what is outside an array: it is read there, or the result is wrong."""
    return not shown.ok or any(one.kind == "out_of_bounds" and one.access == "read" for one in shown.findings)


def lacks_no_guard(tried: Tried, shown: Outcome) -> bool:
    """Whether nothing repairs a failure, and all guards where something was found were tried: more room hides that."""
    lines, laboratory = lines_found(shown), tried.laboratory
    guards = [one for one in tried.asked if one.line in lines and kind_of(one) in ("guard", "missing_condition")]
    return laboratory is not None and laboratory.tried.issuperset(guards) and not any(one.holds for one in tried.found)


def is_too_soon(chosen: Repair | None, tried: Tried, shown: Outcome) -> bool:
    """Whether an array only seems to be too small: what is likelier where something was found was not reached."""
    if chosen is None or not isinstance(chosen.trial, Change) or chosen.trial.kind != "array_size":
        return False
    lines, laboratory = lines_found(shown), tried.laboratory
    likelier = [one for one in tried.asked if one.line in lines and kind_of(one) in LIKELIER]
    return laboratory is None or not laboratory.tried.issuperset(likelier)


def no_order_helps(shown: Outcome, tried: Tried) -> bool:
    """Whether all that orders accesses was tried where a race was found, and it was there all the same."""
    races = [one for one in shown.findings if one.kind == "race"]
    lines = {place.line for one in races for place in (one.place, one.other_place)}
    orders = [one for one in tried.asked if one.kind in ORDERS and one.line in lines]
    laboratory = tried.laboratory
    if not races or laboratory is None:
        return False
    return laboratory.tried.issuperset(orders) and "race" not in laboratory.cleared
