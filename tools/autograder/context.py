"""What every step of grading a task works with, made once for a submission."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.cause.causes import Cause
from autograder.explain.explanation import Explanation
from autograder.explain.reasons import explain
from autograder.judge.check import Checker
from autograder.judge.judgement import Judgement
from autograder.processes import Processes
from autograder.submission import Settings, Submission
from autograder.timing.device_lock import Turns


@dataclass(frozen=True)
class Context:
    """Used from several threads, one task each."""

    submission: Submission
    settings: Settings
    checker: Checker
    processes: Processes
    turns: Turns
    progress: Callable[[str, float], None]  # of a task: the part that is done

    @property
    def virtual(self) -> bool:
        return self.submission.machine.virtual

    @property
    def whole(self) -> bool:
        """With every check."""
        return self.virtual and self.settings.n is None and self.settings.max_n is None

    def explain(
        self, judgement: Judgement, printed: str, one_size: bool = False, cause: Cause | None = None
    ) -> Explanation:
        return explain(judgement, self.submission.manifest.file, printed, one_size, cause)
