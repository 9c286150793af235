"""Experiments: a call that failed is made again with one thing changed, and judged as any other call.

Without controls an experiment proves nothing. With nothing changed the call must fail three times in its schedule; a
change counts as a repair only if calls that did not choose it are right with it, too, and free of
findings: other inputs, larger sizes, every failing variant, other schedules. A way round a mistake is no repair: see
controls.py. And of these calls enough must fail without it: what fails now and then is right now and then with any
change. A rule of the device needs neither: it takes out no line, and takes away one kind of mistake only.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from autograder.cause.bench import least_seconds
from autograder.cause.change import ORDERS, SHAM, Change, Pair
from autograder.cause.controls import Runs, goes_round, is_part, places_run, threads_with, work_with
from autograder.cause.cut_off import MOST_LOOKS, is_undecided, may_decide, may_go_on, next_larger
from autograder.cause.fresh import LEAST_FRESH, fresh_cases, further_cases, is_right, larger
from autograder.cause.limits import ENDLESS_STEPS, MORE_STEPS, MOST_STEPS, fresh_limit, has_ended, step_limit, steps_of
from autograder.cause.rules import Rule
from autograder.judge.batch import Prepared
from autograder.judge.check import Checker, How
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome
from autograder.plan import cases as casebook
from autograder.run.process import Runner
from autograder.run.site import Place

REPEATS = 3  # of the failing call, in its schedule
BITS = 5  # schedules in which the bits of a result are compared
LEAST_FAILING = 5  # of the fresh calls, without the change
LEAST_FAILING_ENDLESS = 2  # the same where calls do not end

# When the experiments with a task end
STEPS = 300_000_000  # warp instructions of the failing call, with all trials: six seconds; few come to fresh calls
OVERHEAD = 50_000  # warp instructions that take as long as a call without work
SECONDS = 30.0  # on a busy machine
MOST_DEATHS, DEATHS_EACH = 10, 2  # of the program, of changes of one kind in a line; each costs a new process

LONGER = 8  # times the seconds of the failing call, after which a call is no repair

Trial = Change | Pair | Rule


@dataclass(frozen=True)
class Repair:
    """What makes the failing call right."""

    trial: Trial
    right: int  # of the fresh calls
    of: int
    is_controlled: bool = True  # enough fresh calls fail without it, and it is no way round the mistake
    work: float = 1.0  # of a large call, as so many times what it is without the change
    threads: float = 1.0  # of all calls, in the same way
    also: int = 0  # a line where the same change repairs it as well: the two do not agree

    @property
    def holds(self) -> bool:
        return self.is_controlled and self.right == self.of >= LEAST_FRESH


class Sham(NamedTuple):
    """What the failing call does in the code of a change, with nothing changed."""

    fails: bool
    most: int  # warp instructions that a launch may take with a change
    usual: int  # that it takes without


def parts_of(trial: Trial) -> tuple[Change, ...]:
    return () if isinstance(trial, Rule) else trial.all


def how_with(trial: Trial) -> How:
    """How a call is made with it."""
    return How(what_if=trial.text) if isinstance(trial, Rule) else How(change=trial.number)


def _region_of(trial: Trial) -> tuple[int, int]:
    """The code that runs with it, and the number that runs the same code with nothing changed."""
    if isinstance(trial, Change):
        return trial.region, trial.number | SHAM
    return (-trial.number, trial.number | SHAM) if isinstance(trial, Pair) else (0, 0)


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
        self._shams: dict[int, Sham] = {}  # of the failing call, by region
        self._runs: dict[int, Runs] = {}  # of the fresh calls, by region
        self._left: int = after._left if after else STEPS
        self._end: float = after._end if after else time.monotonic() + SECONDS
        self._looks = MOST_LOOKS
        self._deaths: Counter[tuple[str, int]] = Counter()  # by kind and line of the change
        self._seconds: float = after._seconds if after else 0.0  # of a call
        if self._seconds:
            runner.budget.allow(self._seconds)
        self.ran: set[Place] = set()  # where the failing call has been, in kernels
        self.tried: set[Trial] = set()
        # Changes that repair a part: the fresh call that still fails with each, by its position; -1: the call itself.
        self.parts: dict[Change, int] = {}
        self.cleared: set[str] = set()  # kinds of findings that were gone with a change of what orders accesses

    def reproduces(self) -> bool:
        """Whether the call fails three times in the same schedule, with nothing changed, and no process dies of it."""
        self._endless = ENDLESS_STEPS if self._judgement.verdict == "TLE" else 0
        outcomes: list[Outcome] = []
        begun = time.monotonic()
        for _ in range(REPEATS):
            outcomes.append(self._checker.run(self._runner, self._case, counters=True, max_steps=self._endless))
            if is_right(outcomes[-1]) or outcomes[-1].death is not None:
                return False
        self._measure(outcomes, time.monotonic() - begun)
        return True

    def _measure(self, outcomes: Sequence[Outcome], seconds: float) -> None:
        """Learns how long a call may take, by those that fail. `seconds`: of them all, and of loading the program."""
        self._seconds = least_seconds() + LONGER * seconds / REPEATS
        self._runner.budget.allow(self._seconds)
        self._most_steps = self._endless or step_limit(outcomes, self._prepared)
        self._usual_steps = self._endless or min(max(steps_of(outcomes), OVERHEAD), self._most_steps)
        self.ran = places_run(outcomes)

    def watched(self, rule: str) -> Outcome:
        """The failing call under a rule that changes nothing."""
        return self._checker.run(self._runner, self._case, what_if=rule)

    def is_of_state(self) -> bool:
        """Whether the call is right at first and fails when it is made again."""
        begun = time.monotonic()
        outcomes = [self._checker.run(self._runner, self._case, counters=True) for _ in range(REPEATS)]
        if not is_right(outcomes[0]) or any(is_right(one) for one in outcomes[1:]):
            return False
        self._measure(outcomes[1:], time.monotonic() - begun)
        return True

    def differs(self, how: How) -> bool:
        """Whether the bits of a right result differ between schedules."""
        cases = [self._case, *(casebook.rescheduled(self._case, repeat) for repeat in range(1, BITS))]
        return len({self._checker.run(self._runner, case, **how).bits for case in cases}) > 1

    def repairs(self, trials: Sequence[Trial], at: int = -1) -> list[Repair]:
        """Those that make a failing call right, each after fresh calls. `at`: which of these it is, -1: none."""
        assert self._judgement.shown is not None and self._most_steps, "reproduces() first: how long may a call take?"
        found = []
        for trial in trials:
            if self.is_over:
                break
            parts = parts_of(trial)
            if any(self._deaths[one.kind, one.line] >= DEATHS_EACH for one in parts):
                continue
            if not all(self._sham(one).fails for one in parts):
                continue
            self.tried.add(trial)
            outcome = self._call(trial, at)
            if at < 0 and self._looks and may_go_on(self._judgement.shown, outcome):
                self._looks -= 1
                outcome = self._call(trial, at, MORE_STEPS * MOST_STEPS)
            if is_right(outcome):
                found.append(self._confirmed(trial))
            elif isinstance(trial, Change) and is_part(self._judgement.shown, outcome):
                self.parts[trial] = -1
            if isinstance(trial, Change) and trial.kind in ORDERS and has_ended(outcome):
                self.cleared |= self._found - {one.kind for one in outcome.findings}
        return found

    @property
    def is_over(self) -> bool:
        """Whether the work that a task's experiments may take is done. Time is but a guard: a busy machine has less."""
        return self._left <= 0 or self._deaths.total() >= MOST_DEATHS or time.monotonic() > self._end

    def _call(self, trial: Trial, at: int, most: int = 0) -> Outcome:
        how = how_with(trial)
        parts = parts_of(trial)
        if at < 0:
            how["max_steps"] = most or (sum(self._sham(one).most for one in parts) if parts else self._most_steps)
        else:
            how["max_steps"] = sum(self._before(one).most[at] for one in parts)
        how["checks"] = True
        outcome = self._checker.batch(self._runner, self._prepared if at < 0 else self._fresh[at], **how)
        self._left -= max([self._sham(one).usual for one in parts], default=self._usual_steps)
        if outcome.death is not None:
            self._deaths.update([(one.kind, one.line) for one in parts[:1]] or [("", 0)])
        return outcome

    def _sham(self, change: Change) -> Sham:
        """What the failing call does without the change, in the code that runs with it."""
        if change.region not in self._shams:
            how = How(checks=True, counters=True, change=change.number | SHAM, max_steps=self._endless or MOST_STEPS)
            outcome = self._checker.batch(self._runner, self._prepared, **how)
            most = self._endless or step_limit([outcome], self._prepared)
            usual = self._endless or min(max(steps_of([outcome]), OVERHEAD), most)
            self._shams[change.region] = Sham(not is_right(outcome) and outcome.death is None, most, usual)
            self._left -= usual
        return self._shams[change.region]

    def _confirmed(self, trial: Trial) -> Repair:
        """What becomes of fresh calls; ends at the first that is not right. Few may be cut off."""
        after, took = Runs(), []
        for at, (call, most) in enumerate(zip(self._fresh, self._limits(trial), strict=True)):
            how = how_with(trial) | How(checks=True, counters=True, max_steps=most)
            outcome = self._checker.batch(self._runner, call, **how)
            if not is_right(outcome) and not is_undecided(outcome, most):
                if isinstance(trial, Change):
                    self.parts[trial] = at
                return Repair(trial, after.right.count(True), len(self._fresh))
            after.add(outcome, right=is_right(outcome), ended=has_ended(outcome))
            took += [steps_of([outcome])] if is_right(outcome) else []
        before, decided = self._before(trial), after.right
        are_enough = may_decide(decided, before.right, self._fresh)
        before, after = before.only(decided), after.only(decided)
        is_quick = all(its <= most or not most for its, most in zip(took, before.most, strict=True))
        is_sure = isinstance(trial, Rule) or (is_quick and self._shows(trial, before, after))
        of = len(after.right) if are_enough else len(decided)
        ratios = work_with(before, after), threads_with(before, after)
        return Repair(trial, len(after.right), of, is_sure, *ratios)

    def _limits(self, trial: Trial) -> list[int]:
        """Warp instructions that the fresh calls may take: as without it, or more than in another region, if known."""
        known = list(self._runs.values())[:1] if _region_of(trial)[0] not in self._runs else []
        return [most * MORE_STEPS for most in known[0].most] if known else self._before(trial).most

    def _shows(self, change: Change | Pair, before: Runs, after: Runs) -> bool:
        """Whether enough fresh calls fail without the change, and it is no way round the mistake."""
        if before.failed < (LEAST_FAILING_ENDLESS if self._endless else LEAST_FAILING):
            return False
        sizes = [one.n for one in larger(self._case)]
        return not goes_round(change.all, before, after, sizes, self._found)

    def _before(self, trial: Trial) -> Runs:
        """The fresh calls without the trial, in the code that runs with it."""
        region, number = _region_of(trial)
        if region not in self._runs:
            self._runs[region] = self._run_with(number)
        return self._runs[region]

    def _run_with(self, change: int) -> Runs:
        """The fresh calls with this change, or with none."""
        runs = Runs()
        how = How(checks=True, counters=True, change=change, max_steps=self._endless or MOST_STEPS)
        for call in self._fresh:
            outcome = self._checker.batch(self._runner, call, **how)
            runs.most.append(fresh_limit(outcome, call) if has_ended(outcome) and not self._endless else 0)
            runs.add(outcome, right=is_right(outcome), ended=has_ended(outcome))
        return runs

    @cached_property
    def _prepared(self) -> Sequence[Prepared]:
        return self._checker.prepare([self._case])

    @cached_property
    def _fresh(self) -> list[list[Prepared]]:
        every = [*fresh_cases(self._judgement, self._case, self._seed), *larger(self._case)]
        calls = self._checker.prepare_batches([[one] for one in every if self._checker.fits(self._runner, one)])
        short = [call for call in calls if self._ends(call)]
        if len(short) >= LEAST_FRESH:  # in the code of changes a call takes many times as long
            calls = [*short, *(one for one in next_larger(short, calls) if self._ends(one, MOST_STEPS))]
        return [*self._failing(calls), *calls]

    def _failing(self, calls: Sequence[list[Prepared]]) -> list[list[Prepared]]:
        """More calls that fail without a change, where too few of these do: most inputs may come out right."""
        left = LEAST_FAILING - sum(self._fails(call) for call in calls)
        found: list[list[Prepared]] = []
        for case in further_cases(self._judgement, self._case, self._seed) if left > 0 else []:
            if len(found) == left:
                break
            if self._checker.fits(self._runner, case) and self._fails(call := self._checker.prepare([case])):
                found.append(call)
        return found

    def _fails(self, call: list[Prepared]) -> bool:
        return not is_right(self._checker.batch(self._runner, call, checks=True, max_steps=self._endless or MOST_STEPS))

    def _ends(self, call: list[Prepared], most: int = MOST_STEPS // MORE_STEPS) -> bool:
        """Whether a call ends soon without a change, be it by what was found in the failing one."""
        outcome = self._checker.batch(self._runner, call, checks=True, max_steps=most)
        found = {one.kind for one in outcome.findings}
        return has_ended(outcome) or (outcome.death is None and "deadlock" not in found - self._found)
