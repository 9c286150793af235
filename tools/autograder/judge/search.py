"""For a task whose output is wrong: the smallest size that fails, and what the calls show together.

No single call shows that a result changes from run to run, or that it is right where n is a power of two.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome, failing
from autograder.plan import cases as casebook
from autograder.run.process import Runner

TILE = 256  # threads of a block in most solutions; larger tiles are multiples of it
MORE_SCHEDULES = range(3, 6)  # 0 to 2 are in the plan; each further one costs a call
SHRINK_CALLS = 12  # closes a gap of 4,096 sizes; the last steps of a wider one matter little
SEARCH_SECONDS = 2.0  # of all calls here together, and what the planned ones have left of theirs
SHRINK_SECONDS = 5.0  # the longest that a student waits for a smaller size
LARGER = 4, 3  # 4 n + 3: several blocks where n was about one, not a multiple of a block, not a power of two

Together = Literal["", "input_modified", "by_chance", "powers_of_two", "powers_of_two_and_tiles"]


@dataclass(frozen=True)
class Found:
    """All calls of the task, and what they show together."""

    outcomes: tuple[Outcome, ...]
    together: Together = ""


class Search:
    """Makes further calls of a task that has failed."""

    def __init__(self, checker: Checker, runner: Runner, seed: int) -> None:
        self._checker = checker
        self._runner = runner
        self._seed = seed

    def run(self, outcomes: Sequence[Outcome], shrink: bool) -> Found:
        """Looks for a smaller failing size only if `shrink` is set."""
        first = failing(outcomes)[0]
        planned = tuple(outcomes)
        self._runner.budget.hurry(SEARCH_SECONDS)
        if first.wrong and first.wrong.modified:
            return Found(planned, "input_modified")
        if self._by_chance(first, outcomes):
            return Found(planned, "by_chance")
        powers = over_sizes(
            [one.case.n for one in outcomes if one.ok], [one.case.n for one in outcomes if one.is_wrong]
        )
        if powers or not shrink:
            return Found(planned, powers)
        shrunk = (*planned, *self._shrink(first, outcomes))
        return Found((*shrunk, *self._larger(shrunk)))

    def _by_chance(self, first: Outcome, outcomes: Sequence[Outcome]) -> bool:
        """Whether the same input is right in another schedule."""
        if any(one.ok for one in outcomes if one.case.seed == first.case.seed):
            return True
        for repeat in MORE_SCHEDULES:
            outcome = self._checker.run(self._runner, casebook.rescheduled(first.case, repeat))
            if outcome.ok or outcome.death:
                return outcome.ok
        return False

    def _shrink(self, first: Outcome, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Bisects between the largest size that is right and the smallest that fails; returns what failed."""
        case = first.case
        right = [one.case.n for one in outcomes if one.ok and one.case.variant == case.variant]
        low = max((n for n in right if n < case.n), default=-1)
        high = case.n
        wrong: list[Outcome] = []
        end = time.monotonic() + SHRINK_SECONDS
        for _ in range(SHRINK_CALLS):
            if high - low <= 1 or time.monotonic() > end:
                break
            middle = (low + high) // 2
            smaller = casebook.case(self._seed, case.task, case.variant, middle)
            if not self._checker.fits(self._runner, smaller):
                break
            outcome = self._checker.run(self._runner, smaller)
            if outcome.wrong and not outcome.death:
                high = middle
                wrong.append(outcome)
            elif outcome.ok:
                low = middle
            else:
                break
        return wrong

    def _larger(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Makes one more call, of several blocks, if the failing ones are too small for a picture."""
        failed = failing(outcomes)
        smallest = failed[0].case
        times, more = LARGER
        n = times * smallest.n + more
        if n > max(one.case.n for one in outcomes) or any(one.is_wrong and one.case.n >= n for one in failed):
            return []
        larger = casebook.case(self._seed, smallest.task, smallest.variant, n)
        if not self._checker.fits(self._runner, larger):
            return []
        outcome = self._checker.run(self._runner, larger)
        return [outcome] if outcome.wrong and not outcome.death else []


def over_sizes(right: Sequence[int], wrong: Sequence[int]) -> Together:
    """Whether n, rather than an element's place, decides what is wrong, and how; otherwise ""."""
    powers = {n for n in right if _is_power(n)}
    # Two sizes on either side, and a power above 2: fewer could be by chance.
    if len(powers) < 2 or len(set(wrong)) < 2 or max(powers) <= 2 or any(n & (n - 1) == 0 for n in wrong):
        return ""
    others = {n for n in right if n > 2 and not _is_power(n)}
    if not others:
        return "powers_of_two"
    if len(powers) > len(others) and all(n % TILE <= 1 for n in others):
        return "powers_of_two_and_tiles"
    return ""


def _is_power(n: int) -> bool:
    return n > 1 and n & (n - 1) == 0
