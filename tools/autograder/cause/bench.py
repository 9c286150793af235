"""What experiments with a submission work with."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from autograder.cause.experiments import least_seconds
from autograder.judge.check import Checker
from autograder.judge.judgement import Judgement
from autograder.plan.cases import Case
from autograder.run.process import Runner

PATIENCE, WITHOUT_END = 8.0, 2.0  # seconds of a call that fails anyway, of one that does not end: loading counts


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
