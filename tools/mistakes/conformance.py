"""Do solutions, skeletons and mistakes get the verdicts that they must?

The solution must get full marks, the skeleton SKIP for every task, and a mistake one of its verdicts, with its words
in what the student reads. Tasks that a mistake's file does not define come from not_started.cc beside the mistakes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from autograder.explain.findings import finding_title
from autograder.plan.labs import folders
from autograder.plan.request import Request
from autograder.report.result import Result, TaskResult
from mistakes.alone import graded, graded_alone, needs_own_process, traces, why_not
from mistakes.catalog import Mistake, mistakes_of
from mistakes.generate import generate

SEED = 1
DEVICE = "virtual"  # even if there is a GPU, which sees no races
GPU_N = 1 << 20  # largest size on a GPU for attacks that are not about its clock: a table of them takes minutes


@dataclass(frozen=True)
class Submission:
    """One thing to grade: a mistake, or the lab's solution or skeleton."""

    folder: Path  # of the lab
    kind: str  # "wrong", "slow", "cheat", "solution", "skeleton"
    mistake: Mistake | None = None

    @property
    def is_cheat(self) -> bool:
        return bool(self.mistake and self.mistake.entry.root)

    @property
    def name(self) -> str:
        return self.mistake.title if self.mistake else f"{self.folder.name}/{self.kind}"


def submissions(root: Path, gpu: bool = False) -> list[Submission]:
    """All submissions, lab by lab. `gpu`: only the cheats that make sense on a GPU.

    Where there is no cage, attacks on the machine are left out: nothing would stop them.
    """
    found = []
    for folder in folders(root).values():
        if not gpu:
            found += [Submission(folder, "solution"), Submission(folder, "skeleton")]
        for mistake in mistakes_of(folder):
            entry = mistake.entry
            there = entry.root and entry.gpu is not False if gpu else not entry.gpu
            if there and not why_not(mistake):
                found.append(Submission(folder, entry.kind, mistake))
    return found


def request_for(mistake: Mistake, device: str = DEVICE) -> Request:
    """What grades a mistake; its file is generated."""
    entry = mistake.entry
    quick = device == "gpu" and not entry.gpu
    return Request(
        mistake.lab,
        file=generate(mistake),
        tasks=[mistake.task],
        seed=SEED if entry.seed is None else entry.seed,
        max_n=GPU_N if quick and (entry.max_n is None or entry.max_n > GPU_N) else entry.max_n,
        seconds=entry.seconds,
        jobs=1,
        device=device,
        causes=bool(entry.cause),  # which takes as long as grading
    )


def run(submission: Submission, root: Path, device: str = DEVICE) -> str:
    """Grades one. Returns what is wrong with the outcome, or ""."""
    mistake = submission.mistake
    if mistake is None:
        request = Request(submission.folder, solution=submission.kind == "solution", seed=SEED)
        return _whole(submission, graded(root, request))
    told = unexpected(mistake, result_of(mistake, root, device))
    left = traces(root, mistake.entry.leaves)
    return "\n".join([told, *(f"left behind: {one}" for one in left)]).strip()


def result_of(mistake: Mistake, root: Path, device: str = DEVICE) -> Result:
    """Grades a mistake; an attack on the grader in a process of its own."""
    if needs_own_process(mistake):
        return graded_alone(root, mistake, device)
    return graded(root, request_for(mistake, device))


def unexpected(mistake: Mistake, result: Result) -> str:
    """How the outcome differs from the mistake's entry, or ""."""
    task = result.tasks[0]
    told = told_to_student(task, result)
    if task.verdict not in mistake.verdicts:
        return f"{task.verdict} instead of {' or '.join(mistake.verdicts)}\n{told}"
    proved = task.cause.kind if task.cause else "none"
    if mistake.entry.cause and proved != mistake.entry.cause:
        return f"the proved cause is {proved}, not {mistake.entry.cause}\n{told}"
    # A proved cause stands alone: what the output shows is not said beside it.
    if task.cause is None and mistake.entry.because.lower() not in whatever_else_is_wrong(told).lower():
        return f"the reason does not say {mistake.entry.because!r}\n{told}"
    return ""


def whatever_else_is_wrong(told: str) -> str:
    """Whether all larger sizes are wrong, too, depends on those that are drawn: an entry names the first only."""
    return re.sub(r"wrong at (n = [\d,]+) (only|and \d+ of \d+ larger)", r"wrong from \1 on", told)


def told_to_student(task: TaskResult, result: Result) -> str:
    """All that is printed about a task."""
    lines = [task.reason, *task.details, task.kind, task.where, result.compiler]
    lines += [finding_title(finding) for finding in task.findings]
    return "\n".join(line for line in lines if line)


def _whole(submission: Submission, result: Result) -> str:
    wanted = "AC" if submission.kind == "solution" else "SKIP"
    bad = [task for task in result.tasks if task.verdict != wanted or (wanted == "AC" and task.points != task.of)]
    lines = [
        f"{task.name}: {task.verdict}, {task.points:g} of {task.of:g}\n{told_to_student(task, result)}" for task in bad
    ]
    return "\n".join(lines)
