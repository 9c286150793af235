"""Which calls decide whether a repair holds, and a failing call that takes less work than the one that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.cause.limits import steps_of
from autograder.judge.check import Checker
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome
from autograder.plan import cases as casebook
from autograder.plan.cases import Case
from autograder.run.process import Runner

SCHEDULES = 3  # further ones of the failing call, in which a repair must hold
FRESH, LEAST_FRESH = 12, 8  # calls that decide whether a repair holds: about so many, and at least
BY_CHANCE = 24  # more schedules, where the same input fails in some and not in others
SMALLER = 0.7  # of them, those that failed before; the others were right, and must stay so
LARGEST_FRESH = 20_000  # n of such a call: experiments are many; and of one more, which has many blocks
LARGE_FRESH = 5_000  # the same where calls do not end without a change
FURTHER = 24  # calls that are looked through for such as fail
CHEAP_STEPS, CHEAPER = 20_000, 12  # warp instructions of a failing call that will do; other inputs that are tried
PARTS, SCHEDULES_EACH = (32, 16, 8, 4, 2), 2  # parts of its elements that are tried, in so many schedules


def is_right(outcome: Outcome) -> bool:
    """The output is right and nothing was found."""
    return outcome.ok and not outcome.findings


def _small(judgement: Judgement, case: Case) -> list[Outcome]:
    most = max(LARGEST_FRESH, 2 * case.n)  # where only large calls fail, some of those must be among them
    return [one for one in judgement.outcomes if one.case.n <= most]


def _wrong(judgement: Judgement, case: Case) -> list[Case]:
    return list(dict.fromkeys(one.case for one in _small(judgement, case) if not is_right(one)))


def fresh_cases(judgement: Judgement, case: Case, seed: int) -> list[Case]:
    """Calls that did not choose the change: mostly such as failed, with other inputs and in other schedules."""
    wrong = _wrong(judgement, case)
    right = [one.case for one in _small(judgement, case) if is_right(one) and one.case.n > 0]
    if len(wrong) < SCHEDULES:
        wrong += [replace(case, seed=casebook.derive(seed, "wrong", at)) for at in range(SCHEDULES)]
    others = [replace(one, seed=casebook.derive(seed, "fresh", at)) for at, one in enumerate(wrong)]
    picked = [
        *_spread(others, round(FRESH * SMALLER)),
        *(casebook.rescheduled(one, at) for at, one in enumerate(_spread(wrong, SCHEDULES), 1)),
    ]
    picked += _spread(right, max(FRESH - len(picked), 2))
    if judgement.together == "by_chance":  # any change shifts when things happen, and may so hide the mistake
        further = range(SCHEDULES + 1, SCHEDULES + 1 + BY_CHANCE)
        picked += [casebook.rescheduled(wrong[at % len(wrong)], at) for at in further]
    more = 0
    while len(picked) < LEAST_FRESH:  # few sizes were tried: the same ones with other inputs
        again = picked[more % len(picked)] if picked else case
        picked.append(replace(again, seed=casebook.derive(seed, "again", more)))
        more += 1
    return list(dict.fromkeys(picked))


def further_cases(judgement: Judgement, case: Case, seed: int) -> Iterator[Case]:
    """Calls like those that failed, with other inputs."""
    wrong = _wrong(judgement, case) or [case]
    for at in range(FURTHER):
        yield replace(wrong[at % len(wrong)], seed=casebook.derive(seed, "further", at))


def larger(case: Case) -> list[Case]:
    """Larger calls like this one: for many elements a program may take another way, or far too many steps."""
    return [replace(case, n=n) for n in (LARGEST_FRESH, LARGE_FRESH)] if case.n < LARGE_FRESH else []


def planned_cases(checker: Checker, judgement: Judgement) -> list[Case]:
    """The cases for which a process of experiments needs room."""
    assert judgement.shown is not None
    return [*(one.case for one in judgement.outcomes), *filter(checker.takes, larger(judgement.shown.case))]


def with_less_work(checker: Checker, runner: Runner, judgement: Judgement, seed: int) -> Judgement:
    """The same with another failing call, which fails in the same way with fewer instructions, if one is found."""
    shown = judgement.shown
    if shown is None or judgement.verdict == "TLE" or shown.death is not None:
        return judgement
    if shown.case.n == 0:  # there is little to see where there are no elements
        alike = [one for one in judgement.outcomes if one.case.n > 0 and _fail_alike(shown, one)]
        shown = min(alike, key=lambda one: one.case.n, default=shown)
    best = checker.run(runner, shown.case, counters=True)
    if not _fail_alike(shown, best):
        return judgement
    found = shown
    if steps_of([best]) > CHEAP_STEPS and (part := _of_part(checker, runner, shown, seed)):
        found = best = part
    for at in range(CHEAPER):
        if steps_of([best]) <= CHEAP_STEPS:
            break
        case = replace(found.case, seed=casebook.derive(seed, "cheaper", at))
        if not checker.fits(runner, case):
            continue
        outcome = checker.run(runner, case, counters=True, max_steps=steps_of([best]))
        if _fail_alike(shown, outcome) and 0 < steps_of([outcome]) < steps_of([best]):
            found = best = outcome
    return replace(judgement, shown=found)


def _of_part(checker: Checker, runner: Runner, shown: Outcome, seed: int) -> Outcome | None:
    """A call with a part of the elements that fails in the same way: not in all verdicts a smaller n was looked for."""
    for n in dict.fromkeys(shown.case.n // part + 1 for part in PARTS):
        for at in range(SCHEDULES_EACH):
            case = casebook.rescheduled(replace(shown.case, n=n, seed=casebook.derive(seed, "part", n)), at)
            if at == 0:
                case = replace(case, schedule=shown.case.schedule)
            if n >= shown.case.n or not checker.fits(runner, case):
                continue
            outcome = checker.run(runner, case, counters=True)
            if _fail_alike(shown, outcome) and _fail_alike(shown, checker.run(runner, case)):  # not by chance
                return outcome
    return None


def _fail_alike(one: Outcome, other: Outcome) -> bool:
    """Whether the same kinds of things are found in both, and both are wrong, or neither."""
    if other.death is not None or one.reply is None or other.reply is None or is_right(other):
        return False
    kinds = [{finding.kind for finding in each.findings} for each in (one, other)]
    return kinds[0] == kinds[1] and one.reply.status == other.reply.status and one.is_wrong == other.is_wrong


def _spread(cases: Sequence[Case], most: int) -> list[Case]:
    """At most so many of them, of all variants and sizes."""
    if len(cases) <= most:
        return list(cases)
    return [cases[at * len(cases) // most] for at in range(most)]
