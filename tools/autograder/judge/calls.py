"""All planned calls of a task, the smallest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome, verdict_of
from autograder.judge.spared import is_settled, kernels_of
from autograder.plan import cases as casebook
from autograder.plan.cases import Case, input_of
from autograder.run.budget import HURRIED
from autograder.run.process import Runner

FEW = 1 << 12  # a call of fewer elements is always checked; of others, which take longer, the first of each kernel
CHECKED_LATE = 6  # and one in so many
FAILED_SECONDS = 3.0  # of a task's other planned calls together, once one has failed; those of search.py have 2 more
MOST_DEATHS = 2  # a third crash says nothing new, and each costs the start of a process


@dataclass(frozen=True)
class Ran:
    """The outcomes of the planned calls."""

    outcomes: tuple[Outcome, ...]
    unstable: Outcome | None = None  # right, but with different bits than an earlier call on the same input
    spared: int = 0  # planned calls that could show nothing new

    def then(self, later: Ran) -> Ran:
        return Ran((*self.outcomes, *later.outcomes), self.unstable or later.unstable, self.spared + later.spared)

    @property
    def not_started(self) -> bool:
        return bool(self.outcomes) and self.outcomes[0].skipped and not self.outcomes[0].unfinished


def run_all(
    checker: Checker,
    runner: Runner,
    planned: Sequence[Case],
    same_bits: bool,
    progress: Callable[[int], None],
    before: Sequence[Outcome] = (),
) -> Ran:
    """Runs case after case, until nothing more can be learnt. `progress` gets the number of each.

    `before`: the task's calls so far.
    """
    outcomes: list[Outcome] = []
    unstable, failed, spared = None, False, 0
    settled: set[tuple[str, int]] = set()  # inputs that no other schedule would change anything for
    first_bits: dict[tuple[str, int], bytes] = {}
    checked = {name for one in before for name in _checked_kernels(one)}
    for at, case in enumerate(planned):
        progress(at)
        if case.repeat > 0 and input_of(case) in settled:
            spared += 1
            continue
        outcome = _call(checker, runner, case, at, checked)
        if outcome.death is HURRIED:
            break
        checked |= _checked_kernels(outcome)
        if is_settled(outcome, checked):
            settled.add(input_of(case))
        begun = any(not one.skipped for one in outcomes)
        outcome = replace(outcome, unfinished=outcome.skipped and begun)
        outcomes.append(outcome)
        if outcome.skipped and not begun:
            break
        if verdict_of(outcome) == "TLE":  # each further call would take its time, too
            break
        if outcome.death:
            deaths = sum(one.death is not None for one in outcomes)
            if outcome.death.kind != "crash" or deaths >= MOST_DEATHS:
                break
        if verdict_of(outcome) and not failed:
            failed = True
            runner.budget.hurry(FAILED_SECONDS)
        if outcome.ok and same_bits and first_bits.setdefault(input_of(case), outcome.bits) != outcome.bits:
            unstable = unstable or outcome
    return Ran(tuple(outcomes), unstable, spared)


def _call(checker: Checker, runner: Runner, case: Case, at: int, checked: Set[str]) -> Outcome:
    """Makes a call: with race checks if it has few elements, and in most cases without if it has many.

    A race that only many elements show is one of many blocks or rounds, and not of one type of elements. The timed
    call, which comes later, is checked as well. `checked`: kernels of calls with many elements that were.
    """
    # Nobody can tell which, whatever the input shows of its seed. What lab.toml asks for is checked all the same.
    by_chance = casebook.one_in(CHECKED_LATE, case.seed, "checked", at) or case.repeat > casebook.SCHEDULES
    if case.n < FEW or not checked or by_chance:
        return checker.run(runner, case, checks=True)
    outcome = checker.run(runner, case, checks=False)
    if outcome.death or (outcome.ok and kernels_of(outcome) <= checked):
        return outcome
    again = checker.run(runner, case, checks=True)  # a new kernel, or a failure whose cause the checks may see
    return again if outcome.ok or again.is_wrong else outcome


def _checked_kernels(outcome: Outcome) -> Set[str]:
    return kernels_of(outcome) if outcome.with_checks and outcome.case.n >= FEW else set()
