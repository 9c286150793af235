"""Do solutions, skeletons and mistakes get the verdicts that they must?

The solution must get full marks, the skeleton SKIP for every task, and a mistake one of its verdicts, with its words
in what the student reads. Tasks that a mistake's file does not define come from solutions/NN-name/not_started.cc.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import CompileError
from autograder.explain.findings import finding_title
from autograder.plan.labs import folders
from autograder.plan.request import Request
from autograder.report.result import Result, TaskResult, compile_failure
from autograder.session import grade
from mistakes.catalog import Mistake, mistakes_of
from mistakes.generate import generate

SEED = 1
DEVICE = "virtual"  # also where there is a GPU, which sees no races


@dataclass(frozen=True)
class Submission:
    """One thing to grade: a mistake, or the lab's solution or skeleton."""

    folder: Path  # of the lab
    kind: str  # "wrong", "slow", "cheat", "solution", "skeleton"
    mistake: Mistake | None = None

    @property
    def name(self) -> str:
        return self.mistake.title if self.mistake else f"{self.folder.name}/{self.kind}"


def submissions(root: Path) -> list[Submission]:
    """All of them, lab by lab."""
    found = []
    for folder in folders(root).values():
        found += [Submission(folder, "solution"), Submission(folder, "skeleton")]
        found += [Submission(folder, mistake.entry.kind, mistake) for mistake in mistakes_of(folder)]
    return found


def request_for(mistake: Mistake) -> Request:
    """What grades a mistake; its file is generated."""
    entry = mistake.entry
    return Request(
        mistake.lab,
        file=generate(mistake),
        tasks=[mistake.task],
        seed=SEED if entry.seed is None else entry.seed,
        max_n=entry.max_n,
        seconds=entry.seconds,
        jobs=1,
        device=DEVICE,
    )


def run(submission: Submission, root: Path) -> str:
    """Grades one. Returns what is wrong with the outcome; empty: as it must be."""
    if submission.mistake is None:
        result, _ = grade(root, Request(submission.folder, solution=submission.kind == "solution", seed=SEED))
        return _whole(submission, result)
    request = request_for(submission.mistake)
    try:
        result, _ = grade(root, request)
    except CompileError as error:
        result = compile_failure(submission.folder, request.file, error)
    return unexpected(submission.mistake, result)


def unexpected(mistake: Mistake, result: Result) -> str:
    """What of the outcome is not as the mistake's entry says; empty: nothing."""
    task = result.tasks[0]
    told = told_to_student(task, result)
    if task.verdict not in mistake.verdicts:
        return f"{task.verdict} instead of {' or '.join(mistake.verdicts)}\n{told}"
    if mistake.entry.because.lower() not in told.lower():
        return f"the reason does not say {mistake.entry.because!r}\n{told}"
    return ""


def told_to_student(task: TaskResult, result: Result) -> str:
    """All that is printed about a task."""
    lines = [task.reason, *task.details, task.pattern, task.hint, task.where, result.compiler]
    lines += [finding_title(finding) for finding in task.findings]
    for mistake in task.mistakes:
        lines += [mistake.reason, *mistake.details, mistake.pattern, mistake.hint, mistake.where]
    return "\n".join(line for line in lines if line)


def _whole(submission: Submission, result: Result) -> str:
    wanted = "AC" if submission.kind == "solution" else "SKIP"
    bad = [task for task in result.tasks if task.verdict != wanted or (wanted == "AC" and task.points != task.of)]
    lines = [
        f"{task.name}: {task.verdict}, {task.points:g} of {task.of:g}\n{told_to_student(task, result)}" for task in bad
    ]
    return "\n".join(lines)


def start(pool: ThreadPoolExecutor, chosen: list[Submission], root: Path) -> dict[str, Future[str]]:
    return {submission.name: pool.submit(run, submission, root) for submission in chosen}
