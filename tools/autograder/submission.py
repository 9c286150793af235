"""What is graded, how, and what comes of a task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.explain.patterns.rules import GENERAL, Rules
from autograder.plan.manifest import Manifest
from autograder.report.result import TaskResult
from autograder.run.machine import Machine


@dataclass(frozen=True)
class Settings:
    """What the command line asks for."""

    seed: int
    n: int | None = None
    variant: str | None = None
    max_n: int | None = None
    timed: bool = True
    seconds: float | None = None


@dataclass(frozen=True)
class Submission:
    """What is graded, and against what."""

    manifest: Manifest
    runner: Path
    reference: Callable[[], Path]
    machine: Machine
    command: str = "./grader"  # how a person would call for this again
    rules: Rules = GENERAL


@dataclass(frozen=True)
class Graded:
    """A task's result, and the name of the device that ran it; "" if none answered."""

    result: TaskResult
    device: str = ""
