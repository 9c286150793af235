"""All planned calls of a task, the smallest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome, verdict_of
from autograder.judge.spared import is_settled
from autograder.plan import cases as casebook
from autograder.plan.cases import Case, input_of
from autograder.run.budget import HURRIED
from autograder.run.process import Runner

# Of the task's calls, without those spent waiting for a busy machine: after these, most large calls skip race checks,
# so that the student need not wait.
CHECK_SECONDS = 4.0
CHECKED_LATE = 3  # of large calls after that, one in so many is still checked
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
    spent: float = 0.0,
) -> Ran:
    """Runs case after case, until nothing more can be learnt. `progress` gets the number of each.

    `spent`: seconds of the task's calls by another runner.
    """
    outcomes: list[Outcome] = []
    unstable, failed, spared = None, False, 0
    settled: set[tuple[str, int]] = set()  # inputs that no other schedule would change anything for
    first_bits: dict[tuple[str, int], bytes] = {}
    for at, case in enumerate(planned):
        progress(at)
        if case.repeat > 0 and input_of(case) in settled:
            spared += 1
            continue
        late = spent + runner.budget.spent > CHECK_SECONDS and case.n >= casebook.LARGE
        # Nobody can tell which, whatever the input shows of its seed.
        unchecked = late and not casebook.one_in(CHECKED_LATE, case.seed, "checked", at)
        outcome = checker.run(runner, case, checks=not unchecked)
        if outcome.death is HURRIED:
            break
        if is_settled(outcome):
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
