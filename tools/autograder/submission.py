"""What is graded, how, and the result of a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.cause.program import Program
from autograder.explain.explanation import Explanation
from autograder.judge.judgement import Judgement
from autograder.plan.manifest import Manifest, TaskEntry
from autograder.plan.private_cases import PrivateSet
from autograder.report.result import TaskResult, TimeResult
from autograder.run.machine import Machine
from autograder.run.protocol import KernelReport
from autograder.score import points
from autograder.timing.evidence import Evidence, share_met
from autograder.timing.study import NOTHING, Study
from autograder.verdict import Verdict


@dataclass(frozen=True)
class Private:
    """The instructor's private cases of the lab, and how to read their inputs by name."""

    sets: Sequence[PrivateSet]
    read: Callable[[str], bytes]


@dataclass(frozen=True)
class Settings:
    """What the command line asks for."""

    seed: int
    n: int | None = None
    variant: str | None = None
    max_n: int | None = None
    timed: bool = True
    seconds: float | None = None
    study: bool = False
    private: Private | None = None


@dataclass(frozen=True)
class Submission:
    """What is graded, and against what."""

    manifest: Manifest
    runner: Path
    reference: Callable[[], Path]
    machine: Machine
    command: str = "./grader"  # the command by which a person would repeat this
    program: Program | None = None  # with changes, for experiments; None: there are none
    skeleton: Path | None = None  # the file as it is handed out

    def again(self, task: str, explanation: Explanation, seed: int, device: str = "") -> str:
        """The command that repeats the task, or its failed call, on the device where it failed."""
        words = [self.command, *(["--device", device] if device else []), "--task", task]
        if explanation.failure:
            words += ["--n", str(explanation.failure.n)]
            if explanation.failure.variant:
                words += ["--variant", explanation.failure.variant]
        return " ".join([*words, "--seed", f"{seed:x}"])


@dataclass(frozen=True)
class Graded:
    """A task's result, and the name of the device that ran it; "" if none answered."""

    result: TaskResult
    device: str = ""


@dataclass(frozen=True)
class Judged:
    """A task after its calls, before its time."""

    judgement: Judgement
    printed: str
    device: str
    elsewhere: str = ""  # the device of the call that decides, if it is another one


@dataclass(frozen=True)
class Timed:
    """A right task with its time."""

    verdict: Verdict
    explanation: Explanation
    time: TimeResult | None = None
    kernels: Sequence[KernelReport] = ()
    study: Study = NOTHING
    evidence: tuple[Evidence, ...] = ()
    untimed: bool = False  # times are not wanted (--no-time): the evidence alone decides the share for time


def points_of(entry: TaskEntry, found: Timed) -> float:
    """Where noise, rather than speed, would decide, the end of the interval that favours the student counts."""
    ratio = (found.time.high if found.time.noisy else found.time.ratio) if found.time else None
    timed = bool(found.time) or found.untimed or not entry.timed
    share = share_met(found.evidence)
    return points(found.verdict, entry.points, ratio, timed=timed, far_behind=entry.far_behind, evidence=share)
