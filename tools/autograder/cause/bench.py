"""What experiments with a submission work with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from autograder.judge.check import Checker
from autograder.judge.judgement import Judgement
from autograder.plan.cases import Case
from autograder.run.process import Runner

PATIENCE, WITHOUT_END = 8.0, 2.0  # seconds of a call that fails anyway, of one that does not end: loading counts
# Seconds of a call, after which it is no repair
CALL_SECONDS = 0.4  # on an idle machine
MOST_PATIENCE = 20.0  # times that, on a busy one


def least_seconds() -> float:
    """What any call may take. On a busy machine, one that is cut off too early would look like an endless one."""
    return CALL_SECONDS * min(max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0), MOST_PATIENCE)


def call_seconds(judgement: Judgement) -> float:
    """The limit of a call before it is known how long one takes."""
    return max(WITHOUT_END, least_seconds()) if judgement.verdict == "TLE" else PATIENCE


class Starts(Protocol):
    """Starts a program, with memory for these cases; it is always ended. `seconds`: of a call."""

    def __call__(
        self, path: Path, cases: Sequence[Case], *, seconds: float | None = None
    ) -> AbstractContextManager[Runner]: ...


@dataclass(frozen=True)
class Bench:
    """What experiments with a submission work with."""

    checker: Checker
    started: Starts
    runner: Path  # the submission's
    seed: int
