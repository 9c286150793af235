"""Of a task that is wrong: the smallest size that fails, and what its errors have in common."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.explain import reasons
from autograder.explain.evidence import Pattern
from autograder.judge.check import Judge, Outcome
from autograder.plan import cases as casebook
from autograder.run.process import Runner

TILE = 256  # the least that is called a tile
TELLING = 16  # elements
SHRINK_CALLS = 12
SHRINK_SECONDS = 5.0
MORE_SCHEDULES = range(3, 6)


@dataclass
class Ran:
    """The calls of one task so far."""

    outcomes: list[Outcome] = field(default_factory=list)
    deaths: int = 0
    unstable: Outcome | None = None  # right, but its bits are not those of another run
    steady: bool = False  # a failing call gave the same wrong bits in every schedule that was tried

    @property
    def failed(self) -> list[Outcome]:
        return sorted((one for one in self.outcomes if reasons.verdict_of(one)), key=lambda one: one.case.n)


class Search:
    """Makes further calls of a task that has failed."""

    def __init__(self, judge: Judge, runner: Runner, seed: int, ran: Ran) -> None:
        self._judge = judge
        self._runner = runner
        self._seed = seed
        self._ran = ran

    def patterns(self, shrink: bool) -> list[Pattern]:
        """Finds the smallest failing size, then what its errors, and those of larger sizes, have in common."""
        sizes_right = [one.case.n for one in self._ran.outcomes if one.ok]
        sizes_wrong = [one.case.n for one in self._ran.outcomes if one.wrong]
        first = self._ran.failed[0]
        assert first.wrong is not None
        if any(pattern.name == "input_modified" for pattern in first.wrong.patterns):
            return first.wrong.patterns[:1]
        if self._sometimes_right(first):
            return [Pattern("nondeterministic", "right on one run and wrong on the next, with the same input")]
        by_size = over_sizes(sizes_right, sizes_wrong)
        if by_size:
            return [by_size]
        if shrink:
            self._shrink(first)
            self._larger()
        return choose([(one.case.n, one.case.variant, one.wrong.patterns) for one in self._ran.failed if one.wrong])

    def _larger(self) -> None:
        """One more call, of several blocks, where the failing ones are too small to show a pattern."""
        failed = self._ran.failed[0].case
        known = {one.case.n for one in self._ran.outcomes}
        n = 4 * failed.n + 3
        if n > max(known) or any(one.wrong and one.case.n >= n for one in self._ran.failed):
            return
        larger = casebook.case(self._seed, failed.task, failed.variant, n)
        if not self._judge.fits(self._runner, larger):
            return
        outcome = self._judge.run(self._runner, larger)
        if outcome.wrong and not outcome.death:
            self._ran.outcomes.append(outcome)

    def _sometimes_right(self, first: Outcome) -> bool:
        same = [one for one in self._ran.outcomes if one.case.seed == first.case.seed]
        if any(one.ok for one in same):
            return True
        bits = {one.bits for one in same}
        for repeat in MORE_SCHEDULES:
            outcome = self._judge.run(self._runner, casebook.rescheduled(first.case, repeat))
            if outcome.ok:
                return True
            if outcome.death:
                return False
            bits.add(outcome.bits)
        self._ran.steady = len(bits) == 1
        return False

    def _shrink(self, first: Outcome) -> None:
        """Bisects between the largest size that is right and the smallest that fails."""
        case = first.case
        right = [one.case.n for one in self._ran.outcomes if one.ok and one.case.variant == case.variant]
        low = max((n for n in right if n < case.n), default=-1)
        high = case.n
        end = time.monotonic() + SHRINK_SECONDS
        for _ in range(SHRINK_CALLS):
            if high - low <= 1 or time.monotonic() > end:
                return
            middle = (low + high) // 2
            smaller = casebook.case(self._seed, case.task, case.variant, middle)
            if not self._judge.fits(self._runner, smaller):
                return
            outcome = self._judge.run(self._runner, smaller)
            if outcome.death:
                return
            if outcome.wrong:
                high = middle
                self._ran.outcomes.append(outcome)
            elif outcome.ok:
                low = middle
            else:
                return


def choose(failing: Sequence[tuple[int, str, Sequence[Pattern]]]) -> list[Pattern]:
    """What to say of failing cases, (n, variant, patterns) with the smallest first: first of that one, which is shown.

    Of its patterns the one that most cases have: with two blocks, "the last block" and "from the second block on" are
    the same. Where most cases have another one, that follows, with its n and variant. Very few elements show
    little: then it stands alone.
    """
    votes: dict[str, int] = {}
    for _, _, patterns in failing:
        for pattern in patterns:
            votes[pattern.name] = votes.get(pattern.name, 0) + 1
    if not votes:
        return []
    best = max(votes, key=lambda name: votes[name])  # of equals the first, which is the most telling
    smallest, variant, own = failing[0]
    mine = max(own, key=lambda pattern: votes[pattern.name], default=None)
    if mine and mine.name == best:
        return [mine]
    n, its, clearest = next(
        (n, its, pattern)
        for n, its, patterns in sorted(failing, key=lambda one: (one[0] < TELLING, one[0]))
        for pattern in patterns
        if pattern.name == best
    )
    at = f"at n = {n:,}" + (f" ({its})" if its != variant else "")
    more = "larger sizes show it" if n > smallest else "another variant shows it"
    if mine and (smallest == 0 or smallest >= TELLING):
        return [mine, Pattern(best, f"not only there: {at}: {clearest.sentence}")]
    return [Pattern(best, f"{more}: {at}: {clearest.sentence}")]


def over_sizes(right: Sequence[int], wrong: Sequence[int]) -> Pattern | None:
    """A pattern in which sizes fail, rather than in which elements are wrong."""
    powers = {n for n in right if n > 1 and n & (n - 1) == 0}
    if len(powers) >= 2 and len(set(wrong)) >= 2 and all(n & (n - 1) != 0 for n in wrong) and max(powers) > 2:
        others = {n for n in right if n > 2 and n & (n - 1) != 0}
        if not others:
            return Pattern("powers_of_two_only", "right only where n is a power of two")
        if len(powers) > len(others) and all(n % TILE <= 1 for n in others):
            return Pattern("powers_of_two_only", "right only where n is a power of two, or fills its tiles")
    return None
