"""How many seconds the calls of a task may take: each by itself, all together, and those after a failure."""

from __future__ import annotations

from math import inf
from typing import TypeVar

from autograder.run.death import Death

# Of a call after the task has failed that there was no time for: it says nothing about the program.
HURRIED = Death("timeout", "the task has failed before, and the time for more calls is over")

Answer = TypeVar("Answer")


class Budget:
    """Seconds of one runner, without those spent waiting for a processor."""

    def __init__(self, each: float, total: float) -> None:
        self._each, self._total = each, total
        self.spent = 0.0
        self._left = inf  # of all further calls together, once one has failed

    def hurry(self, seconds: float) -> None:
        """From now on all calls together have so many seconds more. Those that would need more end as HURRIED."""
        self._left = seconds + (0.0 if self._left == inf else max(0.0, self._left))

    def allow(self, seconds: float) -> None:
        """From now on a call may take so long."""
        self._each = seconds

    def of_call(self) -> float:
        return min(self._each, self._left)

    def refused(self) -> Death | None:
        """Why there is no further call."""
        if self.spent > self._total:
            return Death("timeout", f"all calls of the task together took {self._total:g} s")
        return HURRIED if self._left <= 0 else None

    def after(self, answer: Answer | Death, given: float, spent: float) -> Answer | Death:
        """What a call's answer is worth that was given so many seconds."""
        self.spent += spent
        self._left -= spent
        ended = isinstance(answer, Death) and answer.kind == "timeout" and given < self._each
        return HURRIED if ended else answer
