"""Experiments: a call that failed is made again with one thing changed, and judged as any other call.

Without controls an experiment proves nothing. The program with all changes off must fail as the file does, in three
schedules; a change counts as a repair only if calls that did not choose it are right with it, too, and free of
findings: other inputs, larger sizes, every failing variant, other schedules.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.cause.changes import Change
from autograder.cause.program import Built
from autograder.judge.check import Checker
from autograder.judge.judgement import Judgement
from autograder.judge.made import Prepared
from autograder.judge.outcome import Outcome
from autograder.plan import cases as casebook
from autograder.plan.cases import Case
from autograder.run.process import Runner

SCHEDULES = 3
LEAST_STEPS, MORE_STEPS = 20_000, 4  # warp instructions of a launch: at least; and times those of the failing call
OVERHEAD = 50_000  # warp instructions that take as long as a call without work
STEPS = 60_000_000  # of all experiments of a task: about two seconds
SECONDS = 20.0  # the same on a busy machine
ENDLESS_STEPS = 1 << 18  # where the call itself does not end
MOST_DEATHS = 4  # of the program, in experiments with a task; each costs a new process
FRESH = 12  # calls that decide whether a repair holds; eight at least
LEAST_FRESH = 8
LARGEST = 20_000  # n of such a call: experiments are many
SMALLER = 0.7  # of the calls, those that failed before; the others were right, and must stay so


@dataclass(frozen=True)
class Repair:
    """A change that makes the failing call right."""

    change: Change
    right: int  # of the fresh calls
    of: int

    @property
    def holds(self) -> bool:
        return self.right == self.of >= LEAST_FRESH


def is_right(outcome: Outcome) -> bool:
    """The output is right and nothing was found."""
    return outcome.ok and not outcome.findings


class Laboratory:
    """Makes experiments with one task's program."""

    def __init__(self, checker: Checker, runner: Runner, built: Built, judgement: Judgement, seed: int) -> None:
        assert judgement.shown is not None
        self._checker = checker
        self._runner = runner
        self._built = built
        self._judgement = judgement
        self._case = judgement.shown.case
        self._seed = seed
        self._most_steps, self._usual_steps = 0, OVERHEAD
        self._left = STEPS
        self._end = time.monotonic() + SECONDS
        self._deaths = 0

    def reproduces(self) -> bool:
        """Whether the program with all changes off fails in each of three schedules."""
        for repeat in range(SCHEDULES):
            case = self._case if repeat == 0 else casebook.rescheduled(self._case, repeat)
            limit = ENDLESS_STEPS if self._judgement.verdict == "TLE" else 0
            outcome = self._checker.run(self._runner, case, counters=True, max_steps=limit)
            if is_right(outcome) or outcome.death is not None:
                return False
            steps = max((kernel.total.instructions for kernel in outcome.kernels), default=0)
            self._most_steps = limit or max(self._most_steps, LEAST_STEPS, MORE_STEPS * steps)
            self._usual_steps = max(self._usual_steps, limit or steps, OVERHEAD)
        return True

    def repairs(self, changes: Sequence[Change]) -> list[Repair]:
        """Those of the changes that make the failing call right, each after fresh calls."""
        prepared = self._checker.prepare([self._case])
        found = []
        for change in changes:
            if self.is_over:
                break
            if is_right(self._call(prepared, change)):
                found.append(self._confirmed(change))
        return found

    @property
    def is_over(self) -> bool:
        """Whether the work that a task's experiments may take is done. Time is but a guard: a busy machine has less."""
        return self._left <= 0 or self._deaths >= MOST_DEATHS or time.monotonic() > self._end

    def _call(self, prepared: Sequence[Prepared], change: Change) -> Outcome:
        outcome = self._checker.batch(
            self._runner, prepared, checks=True, change=change.number, max_steps=self._most_steps
        )
        self._left -= self._usual_steps
        self._deaths += outcome.death is not None
        return outcome

    def _confirmed(self, change: Change) -> Repair:
        """Ends at the first call that is not right."""
        right = 0
        cases = self.fresh()
        for case in cases:
            if not is_right(self._checker.run(self._runner, case, change=change.number)):
                break
            right += 1
        return Repair(change, right, len(cases))

    def fresh(self) -> list[Case]:
        """Calls that did not choose the change: mostly such as failed, with other inputs and in other schedules."""
        small = [one for one in self._judgement.outcomes if one.case.n <= LARGEST]
        wrong = list(dict.fromkeys(one.case for one in small if not is_right(one)))
        right = [one.case for one in small if is_right(one) and one.case.n > 0]
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


def _spread(cases: Sequence[Case], most: int) -> list[Case]:
    """At most so many of them, of all variants and sizes."""
    if len(cases) <= most:
        return list(cases)
    return [cases[at * len(cases) // most] for at in range(most)]
