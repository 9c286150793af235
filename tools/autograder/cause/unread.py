"""What is never read, although the result depends on it: a part of the input, or values on their way to the result.

No experiment repairs such a call, because a whole step is missing; but what is not there is seen. It is said what is
lost, and nothing is pointed at: the line that stores it, or reads the rest, is seldom where the mistake is. `lost.py`
says which elements of the input the result depends on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

import msgspec

from autograder.cause.bench import Bench, call_seconds
from autograder.cause.causes import KINDS, Cause
from autograder.cause.elements import range_of
from autograder.cause.fresh import fresh_cases, is_right, planned_cases
from autograder.cause.lost import Changed, changed_inputs, is_same_result
from autograder.judge.check import Checker
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.plan.tables import ArraySpec
from autograder.run.process import Runner
from autograder.run.unread import Unread

RULE = "watch unread"
LEAST_WRONG, LEAST_RIGHT = 3, 2  # calls
MOST_WRONG, MOST_RIGHT = 6, 6
MOST_ARRAYS = 3  # of which values are lost: more are what somebody stores in vain
SECONDS = 6.0
STOPPED = ("out_of_bounds", "use_after_free", "misaligned", "invalid_access")  # a kernel does not go on then

Key = tuple[str, bool]  # an array, and whether it is about what lines store there
By = Mapping[Key, Unread]


class Calls(NamedTuple):
    """Calls in which it was watched what is read."""

    wrong: list[Outcome]
    right: list[Outcome]


def find_unread(bench: Bench, judgement: Judgement, file: str) -> Cause | None:
    """What is lost in every wrong call, and is proved to count."""
    if judgement.verdict != "WA":
        return None
    planned = planned_cases(bench.checker, judgement)
    with bench.started(bench.runner, planned, seconds=call_seconds(judgement)) as runner:
        return _find(bench.checker, runner, judgement, file, bench.seed)


def _find(checker: Checker, runner: Runner, judgement: Judgement, file: str, seed: int) -> Cause | None:
    end = time.monotonic() + SECONDS
    failing = next((one for one in _wrong(judgement) if checker.fits(runner, one)), None)
    if failing is None:
        return None
    first = checker.run(runner, failing, what_if=RULE)
    if not _tells(first) or is_right(first) or not any(_is_lost(one) for one in reads_of(first, file).values()):
        return None
    calls = Calls([first], [])
    for case in _others(judgement, failing, seed):
        if time.monotonic() > end:
            break
        if checker.fits(runner, case):
            outcome = checker.run(runner, case, what_if=RULE)
            (calls.right if is_right(outcome) else calls.wrong).append(outcome)
    calls = Calls([one for one in calls.wrong if _tells(one)], [one for one in calls.right if _tells(one)])
    if len(calls.wrong) < LEAST_WRONG:
        return None
    return _of_inputs(checker, calls, file) or _of_stored(checker, runner, calls, file, end)


def _tells(outcome: Outcome) -> bool:
    """Whether all kernels came to their end, so that what is not read then is never read."""
    report = outcome.reply.report if outcome.reply else None
    return (
        outcome.death is None
        and report is not None
        and outcome.reply is not None
        and outcome.reply.status == "ok"
        and not any(one.kind in STOPPED for one in outcome.findings)
    )


def _wrong(judgement: Judgement) -> list[Case]:
    """Calls with wrong results, the shown one first; of no elements there is nothing to read."""
    assert judgement.shown is not None
    all_ = [judgement.shown, *sorted(judgement.outcomes, key=lambda one: one.case.n)]
    return [one.case for one in all_ if one.wrong is not None and one.case.n > 0]


def _others(judgement: Judgement, failing: Case, seed: int) -> Iterator[Case]:
    """Calls that were wrong, or are like such, and the largest of those that were right, in turns."""
    right = [one.case for one in judgement.outcomes if is_right(one) and 1 < one.case.n <= 2 * failing.n]
    right = sorted(right, key=lambda one: -one.n)[:MOST_RIGHT]
    others = [one for one in fresh_cases(judgement, failing, seed) if one not in right][:MOST_WRONG]
    for at in range(max(len(right), len(others))):
        yield from others[at : at + 1]
        yield from right[at : at + 1]


def reads_of(outcome: Outcome, file: str) -> By:
    """What the call says of its inputs, and of what the lines of this file store."""
    report = outcome.reply.report if outcome.reply else None
    inputs = {spec.name for spec in outcome.wrong.shape.inputs} if outcome.wrong else None
    found: dict[Key, Unread] = {}
    for one in report.unread if report else []:
        is_own = PurePath(one.place.file).name == file if one.is_stored else inputs is None or one.array in inputs
        if is_own:
            key = one.array, one.is_stored
            found[key] = together(found[key], one) if key in found else one
    return found


def together(one: Unread, other: Unread) -> Unread:
    """What two lines store in the same array, shown by the one of which more is lost."""
    return msgspec.structs.replace(
        other if other.lost > one.lost else one,
        bytes=one.bytes + other.bytes,
        unread=one.unread + other.unread,
        lost=one.lost + other.lost,
        digest=f"{(int(one.digest, 16) + int(other.digest, 16)) % 2**64:x}",
    )


def _is_lost(one: Unread) -> bool:
    return one.lost > 0 if one.is_stored else one.unread > 0


def _lost_in_all(calls: Calls, file: str, *, is_stored: bool) -> list[Key]:
    every = [reads_of(one, file) for one in calls.wrong]
    return [
        key
        for key, one in every[0].items()
        if one.is_stored == is_stored and all(key in each and _is_lost(each[key]) for each in every)
    ]


def is_whole(key: Key, right: Sequence[By]) -> bool:
    """Whether all of it is read in most right calls. (One may be right by luck: the greatest element was read.)"""
    whole = [not _is_lost(calls[key]) for calls in right if key in calls]
    return sum(whole) >= max(LEAST_RIGHT, len(whole) / 2)


def may_be_needed(key: Key, right: Sequence[By]) -> bool:
    """Whether it is a mistake that a part is lost: not if right calls lose it as well."""
    return is_whole(key, right) or not any(key in calls for calls in right)


# ---- Inputs ----


def _of_inputs(checker: Checker, calls: Calls, file: str) -> Cause | None:
    """The input of which a part is never read, on which wrong elements depend."""
    for key in _lost_in_all(calls, file, is_stored=False):
        for outcome in calls.wrong:
            unread = reads_of(outcome, file)[key]
            if changed := _decides(checker, outcome, unread):
                return _cause_of_input(outcome, unread, changed, file)
    return None


def _decides(checker: Checker, outcome: Outcome, unread: Unread) -> Changed | None:
    """An unread element that decides what an element of the result must be, which is wrong."""
    changed = changed_inputs(checker, outcome, unread.array, unread.ranges)
    return next((one for one in changed if one.is_felt), None)


def _cause_of_input(outcome: Outcome, unread: Unread, changed: Changed, file: str) -> Cause:
    assert outcome.wrong is not None
    spec = next(one for one in outcome.wrong.shape.inputs if one.name == unread.array)
    is_own = PurePath(unread.place.file).name == file
    seen = f"At n = {outcome.case.n:,}, no thread reads {elements_text(unread, spec)}"
    seen += f"; line {unread.place.line} reads the others" if is_own and unread.unread < unread.bytes else ""
    tried = f"another value in {spec.name}[{changed.index}] changes the right result, and cannot change yours"
    return Cause("unread_input", KINDS["unread_input"].title, "", tried, seen=seen)


def elements_text(unread: Unread, spec: ArraySpec) -> str:
    """d_in[256] to d_in[999]: 744 of its 1,000 elements."""
    size = unread.bytes // max(spec.count, 1)
    count, first = unread.unread // size, unread.ranges[0]
    begin, end = first.begin // size, (first.begin + first.bytes) // size - 1
    which = range_of(spec, begin, end)
    if count == spec.count:
        return f"any element of {spec.name}" if count > 1 else f"{which}, its only element"
    others = " and others" if count > end - begin + 1 else ""
    return f"{which}{others}: {count:,} of {spec.count:,} elements"


# ---- Values that are stored ----


def _of_stored(checker: Checker, runner: Runner, calls: Calls, file: str, end: float) -> Cause | None:
    """The lines that store what is lost, and on which the result depends."""
    shown, others = reads_of(calls.wrong[0], file), [reads_of(one, file) for one in calls.right]
    keys = [key for key in _lost_in_all(calls, file, is_stored=True) if may_be_needed(key, others)]
    whole = [key for key in keys if is_whole(key, others)]
    by_change = _with_change(checker, runner, calls, file, keys, end) if keys else None
    element, proved = by_change or ("", whole)
    if not 0 < len(proved) <= MOST_ARRAYS:
        return None
    tried, right = "", "; where the result is right, all is read"
    if by_change:
        tried = f"another value in {element} changes what is stored there, and the right result, but not yours"
        right = ""
    one = shown[max(proved, key=lambda key: (key in whole, shown[key].lost))]  # likelier is what right calls read
    seen = f"At n = {calls.wrong[0].case.n:,}, {range_text(one)} stored in line {one.place.line} and never read{right}"
    return Cause("unread", KINDS["unread"].title, "", tried, seen=seen)


def range_text(one: Unread) -> str:
    """The first values that are lost, and the verb: partial[1] to partial[7] are."""
    its = one.ranges[0]
    which = its.first if its.first == its.last else f"{its.first} to {its.last}"
    if its.first.startswith("element "):  # the array has a name of several words
        which += f" of {one.array}"
    if its.bytes < one.unread:
        return f"{which} and others are"
    return f"{which} {'is' if its.first == its.last else 'are'}"


def _with_change(
    checker: Checker, runner: Runner, calls: Calls, file: str, keys: Sequence[Key], end: float
) -> tuple[str, list[Key]] | None:
    """An element of the input that changes values that are lost, and not the result, which must be another then."""
    for outcome in calls.wrong[:LEAST_WRONG]:
        before = reads_of(outcome, file)
        for spec in outcome.wrong.shape.inputs if outcome.wrong else []:
            for one in changed_inputs(checker, outcome, spec.name):
                if time.monotonic() > end:
                    return None
                if not one.is_felt:
                    continue
                after = checker.with_inputs(one.inputs).watch(runner, outcome.case, what_if=RULE)
                its = reads_of(after.outcome, file)
                other = [key for key in keys if key in its and its[key].digest != before[key].digest]
                if other and _tells(after.outcome) and is_same_result(outcome, after):
                    at = f" (at n = {outcome.case.n:,})" if outcome is not calls.wrong[0] else ""
                    return f"{spec.name}[{one.index}]{at}", other
    return None
