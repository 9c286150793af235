"""What a late submission loses. Exact numbers; rounding comes last, in term.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from autograder.course.model import Late
from autograder.course.values import long, plain

DAY = 86400
_UNIT = {"day": DAY, "hour": 3600}
ALL = Fraction(100)


@dataclass(frozen=True)
class Penalty:
    """The penalty in percent, the free days used, and the reason in words."""

    percent: Fraction = Fraction(0)
    free_days: int = 0
    why: str = ""


def penalty(rule: Late, late: Fraction, free_days: int) -> Penalty:
    """The penalty of a submission that is `seconds` late, with free days: only those that save something are used."""
    if late <= 0:
        return Penalty()
    if late <= rule.grace.seconds:
        return Penalty(why=f"{long(late)} late, within {rule.grace} of grace")
    if rule.closes is not None and late > rule.closes.seconds:
        return Penalty(ALL, why=f"{long(late)} late: nothing counts after {rule.closes}")
    counted = late - rule.grace.seconds
    most = min(free_days, math.ceil(counted / DAY))
    best = min(range(most + 1), key=lambda used: (percent(rule, counted - used * DAY), used))
    lost = percent(rule, counted - best * DAY)
    return Penalty(lost, best, _why(rule, late, counted - best * DAY, best))


def percent(rule: Late, late: Fraction) -> Fraction:
    """The penalty for a submission that comes `late` seconds after the end of all grace."""
    if late <= 0:
        return Fraction(0)
    if rule.steps:
        reached = next((step.percent for step in rule.steps if late <= step.until.seconds), ALL)
        return min(reached, rule.cap)
    assert rule.percent is not None
    return min(rule.percent * math.ceil(late / _UNIT[rule.per]), rule.cap)


def _why(rule: Late, late: Fraction, left: Fraction, used: int) -> str:
    said = f"{long(late)} late"
    said += f", less {rule.grace} of grace" if rule.grace.seconds else ""
    said += f", less {used} free {'day' if used == 1 else 'days'}" if used else ""
    if left <= 0:
        return said + ": nothing is lost"
    lost = percent(rule, left)
    if rule.steps:
        step = next((step for step in rule.steps if left <= step.until.seconds), None)
        how = f"up to {step.until}: {plain(step.percent)} %" if step else f"after {rule.steps[-1].until}: all"
        how += f", at most {plain(rule.cap)} %" if lost == rule.cap < ALL else ""
        return f"{said}: {how}"
    assert rule.percent is not None
    units = math.ceil(left / _UNIT[rule.per])
    each = rule.percent
    text = f"{said}: {units} {rule.per}{'s' if units > 1 else ''} begun x {plain(each)} % = {plain(each * units)} %"
    return text + (f", at most {plain(lost)} %" if lost < each * units else "")
