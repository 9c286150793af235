"""Experiments: a call that failed is made again with one thing changed, and judged as any other call.

Without controls an experiment proves nothing. With nothing changed the call must fail three times in its schedule; a
change counts as a repair only if calls that did not choose it are right with it, too, and free of
findings: other inputs, larger sizes, every failing variant, other schedules. A way round a mistake is no repair: see
controls.py. And of these calls enough must fail without it: what fails now and then is right now and then with any
change. A rule of the device needs neither: it takes out no line, and takes away one kind of mistake only.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from autograder.cause.change import Change, Pair
from autograder.cause.controls import Runs, goes_round, is_part, places_run
from autograder.cause.rules import Rule
from autograder.judge.batch import Prepared
from autograder.judge.check import Checker, How
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome
from autograder.plan import cases as casebook
from autograder.plan.cases import Case
from autograder.run.process import Runner
from autograder.run.site import Place

# Which calls are made
REPEATS = 3  # of the failing call, in its schedule
SCHEDULES = 3  # further ones of the failing call, in which a repair must hold
BITS = 5  # schedules in which the bits of a result are compared
FRESH, LEAST_FRESH = 12, 8  # calls that decide whether a repair holds: about so many, and at least
SMALLER = 0.7  # of them, those that failed before; the others were right, and must stay so
LARGEST_FRESH = 20_000  # n of such a call: experiments are many; and of one more, which has many blocks
LARGE_FRESH = 5_000  # the same where calls do not end without a change
LEAST_FAILING = 5  # of the fresh calls, without the change
LEAST_FAILING_ENDLESS = 2  # the same where calls do not end

# How many warp instructions a launch may take
LEAST_STEPS, MORE_STEPS = 20_000, 4  # at least; and times those of the failing call
MOST_STEPS = 4_000_000  # of a fresh call without a change
STEPS_EACH = 64  # for an element: not too many, whatever the call without a change took
STEPS_EACH_OF_FEW, FEW_STEPS = 512, 1_000_000  # the same for few elements: a warp for each, up to so many in all
SKIPPED = 32  # times the work of a call that may have skipped most of it, up to MOST_STEPS
ENDLESS_STEPS = 1 << 18  # where the call itself does not end

# When the experiments with a task end
STEPS = 100_000_000  # warp instructions of the failing call, with all trials: three seconds; few come to fresh calls
OVERHEAD = 50_000  # warp instructions that take as long as a call without work
SECONDS = 20.0  # on a busy machine
MOST_DEATHS = 10  # of the program; each costs a new process


Trial = Change | Pair | Rule


@dataclass(frozen=True)
class Repair:
    """What makes the failing call right."""

    trial: Trial
    right: int  # of the fresh calls
    of: int
    is_controlled: bool = True  # enough fresh calls fail without it, and it is no way round the mistake

    @property
    def holds(self) -> bool:
        return self.is_controlled and self.right == self.of >= LEAST_FRESH


def how_with(trial: Trial) -> How:
    """How a call is made with it."""
    return How(what_if=trial.text) if isinstance(trial, Rule) else How(change=trial.number)


def is_right(outcome: Outcome) -> bool:
    """The output is right and nothing was found."""
    return outcome.ok and not outcome.findings


class Laboratory:
    """Makes experiments with one task's program, or with the same one with changes."""

    def __init__(
        self, checker: Checker, runner: Runner, judgement: Judgement, seed: int, after: Laboratory | None = None
    ) -> None:
        """`after`: other experiments with this task. Their work counts, and a call may take as long as in them."""
        assert judgement.shown is not None
        self._checker = checker
        self._runner = runner
        self._judgement = judgement
        self._case = judgement.shown.case
        self._found = {one.kind for one in judgement.shown.findings}
        self._seed = seed
        # Warp instructions: after which a call is stopped that does not end; of a launch at most, and of one usually.
        self._endless: int = after._endless if after else 0
        self._most_steps: int = after._most_steps if after else 0  # 0: not known yet
        self._usual_steps: int = after._usual_steps if after else OVERHEAD
        self._left: int = after._left if after else STEPS
        self._end: float = after._end if after else time.monotonic() + SECONDS
        self._deaths = 0
        self.ran: set[Place] = set()  # where the failing call has been, in kernels
        # Changes that repair a part: the fresh call that still fails with each, by its position; -1: the call itself.
        self.parts: dict[Change, int] = {}

    def reproduces(self) -> bool:
        """Whether the call fails three times in the same schedule, with nothing changed, and no process dies of it."""
        self._endless = ENDLESS_STEPS if self._judgement.verdict == "TLE" else 0
        outcomes = []
        for _ in range(REPEATS):
            outcomes.append(self._checker.run(self._runner, self._case, counters=True, max_steps=self._endless))
            if is_right(outcomes[-1]) or outcomes[-1].death is not None:
                return False
        self._measure(outcomes)
        return True

    def _measure(self, outcomes: Sequence[Outcome]) -> None:
        """Learns how long a call may take, by those that fail."""
        self._most_steps = self._endless or max(_step_limit(outcomes), _not_too_many(self._prepared))
        self._usual_steps = self._endless or max(_steps(outcomes), OVERHEAD)
        self.ran = places_run(outcomes)

    def watched(self, rule: str) -> Outcome:
        """The failing call under a rule that changes nothing."""
        return self._checker.run(self._runner, self._case, what_if=rule)

    def is_of_state(self) -> bool:
        """Whether the call is right at first and fails when it is made again."""
        outcomes = [self._checker.run(self._runner, self._case, counters=True) for _ in range(REPEATS)]
        if not is_right(outcomes[0]) or any(is_right(one) for one in outcomes[1:]):
            return False
        self._measure(outcomes[1:])
        return True

    def differs(self, how: How) -> bool:
        """Whether the bits of a right result differ between schedules."""
        cases = [self._case, *(casebook.rescheduled(self._case, repeat) for repeat in range(1, BITS))]
        return len({self._checker.run(self._runner, case, **how).bits for case in cases}) > 1

    def repairs(self, trials: Sequence[Trial], at: int = -1) -> list[Repair]:
        """Those that make a failing call right, each after fresh calls. `at`: which of these it is, -1: none."""
        assert self._judgement.shown is not None
        assert self._most_steps, "reproduces() first: how long may a call take?"
        found = []
        for trial in trials:
            if self.is_over:
                break
            outcome = self._call(trial, at)
            if is_right(outcome):
                found.append(self._confirmed(trial))
            elif isinstance(trial, Change) and is_part(self._judgement.shown, outcome):
                self.parts[trial] = -1
        return found

    @property
    def is_over(self) -> bool:
        """Whether the work that a task's experiments may take is done. Time is but a guard: a busy machine has less."""
        return self._left <= 0 or self._deaths >= MOST_DEATHS or time.monotonic() > self._end

    def _call(self, trial: Trial, at: int) -> Outcome:
        how = how_with(trial)
        how["checks"], how["max_steps"] = True, self._most_steps if at < 0 else self._unchanged.most[at]
        outcome = self._checker.batch(self._runner, self._prepared if at < 0 else self._fresh[at], **how)
        self._left -= self._usual_steps
        self._deaths += outcome.death is not None
        return outcome

    def _confirmed(self, trial: Trial) -> Repair:
        """What becomes of fresh calls; ends at the first that is not right."""
        how = how_with(trial)
        how["checks"] = True
        right = 0
        for call, most in zip(self._fresh, self._unchanged.most, strict=True):
            if not is_right(self._checker.batch(self._runner, call, **how | How(max_steps=most))):
                if isinstance(trial, Change):
                    self.parts[trial] = right
                break
            right += 1
        is_sure = right < len(self._fresh) or isinstance(trial, Rule) or self._shows(trial)
        return Repair(trial, right, len(self._fresh), is_sure)

    def _shows(self, change: Change | Pair) -> bool:
        """Whether enough fresh calls fail without the change, and it is no way round the mistake."""
        before, after = self._unchanged, self._run_with(change.number)
        if before.failed < (LEAST_FAILING_ENDLESS if self._endless else LEAST_FAILING):
            return False
        sizes = [one.n for one in larger(self._case)]
        return not goes_round(change.all, before, after, sizes, self._found)

    @cached_property
    def _unchanged(self) -> Runs:
        return self._run_with(0)

    def _run_with(self, change: int) -> Runs:
        """The fresh calls with this change, or with none."""
        runs = Runs()
        for call in self._fresh:
            how = How(checks=True, counters=True, change=change, max_steps=self._endless or MOST_STEPS)
            outcome = self._checker.batch(self._runner, call, **how)
            most = max(_step_limit([outcome]), _not_too_many(call), min(SKIPPED * _steps([outcome]), MOST_STEPS))
            runs.most.append(most if _ended(outcome) and not self._endless else 0)
            runs.add(outcome, right=is_right(outcome), ended=_ended(outcome))
        return runs

    @cached_property
    def _prepared(self) -> Sequence[Prepared]:
        return self._checker.prepare([self._case])

    @cached_property
    def _fresh(self) -> list[list[Prepared]]:
        more = [one for one in larger(self._case) if self._checker.fits(self._runner, one)]
        calls = self._checker.prepare_batches([[case] for case in [*self.fresh(), *more]])
        if len(more) > 1 and not self._ends(calls[-2]):
            del calls[-2]  # the largest
        return calls

    def _ends(self, call: list[Prepared]) -> bool:
        """Whether a call ends without a change, and soon."""
        return _ended(self._checker.batch(self._runner, call, checks=True, max_steps=MOST_STEPS // MORE_STEPS))

    def fresh(self) -> list[Case]:
        """Calls that did not choose the change: mostly such as failed, with other inputs and in other schedules."""
        most = max(LARGEST_FRESH, 2 * self._case.n)  # where only large calls fail, some of those must be among them
        small = [one for one in self._judgement.outcomes if one.case.n <= most]
        wrong = list(dict.fromkeys(one.case for one in small if not is_right(one)))
        right = [one.case for one in small if is_right(one) and one.case.n > 0]
        if len(wrong) < SCHEDULES:
            wrong += [replace(self._case, seed=casebook.derive(self._seed, "wrong", at)) for at in range(SCHEDULES)]
        others = [replace(one, seed=casebook.derive(self._seed, "fresh", at)) for at, one in enumerate(wrong)]
        picked = [
            *_spread(others, round(FRESH * SMALLER)),
            *(casebook.rescheduled(one, at) for at, one in enumerate(_spread(wrong, SCHEDULES), 1)),
        ]
        picked += _spread(right, max(FRESH - len(picked), 2))
        more = 0
        while len(picked) < LEAST_FRESH:  # few sizes were tried: the same ones with other inputs
            again = picked[more % len(picked)] if picked else self._case
            picked.append(replace(again, seed=casebook.derive(self._seed, "again", more)))
            more += 1
        return [one for one in dict.fromkeys(picked) if self._checker.fits(self._runner, one)]


def larger(case: Case) -> list[Case]:
    """Larger calls like this one: for many elements a program may take another way, or far too many steps."""
    return [replace(case, n=n) for n in (LARGEST_FRESH, LARGE_FRESH)] if case.n < LARGE_FRESH else []


def _not_too_many(calls: Sequence[Prepared]) -> int:
    """Warp instructions that a right program may take: where one skips most of its work, a right one takes far more."""
    elements = max(max(one.case.n, sum(array.size for array in one.inputs)) for one in calls)
    return max(STEPS_EACH * elements, min(STEPS_EACH_OF_FEW * elements, FEW_STEPS))


def _ended(outcome: Outcome) -> bool:
    """Whether a call came to its end, right or wrong."""
    return outcome.reply is not None and outcome.reply.status == "ok"


def _step_limit(outcomes: Sequence[Outcome]) -> int:
    """Warp instructions that a launch may take with a change. Of a call that was cut off this is not known."""
    if not all(_ended(one) for one in outcomes):
        return MOST_STEPS
    return max(LEAST_STEPS, MORE_STEPS * _steps(outcomes))


def _steps(outcomes: Sequence[Outcome]) -> int:
    """Warp instructions of the longest launch."""
    return max((kernel.total.instructions for one in outcomes for kernel in one.kernels), default=0)


def _spread(cases: Sequence[Case], most: int) -> list[Case]:
    """At most so many of them, of all variants and sizes."""
    if len(cases) <= most:
        return list(cases)
    return [cases[at * len(cases) // most] for at in range(most)]
