"""Do the labs' own submissions get the verdicts that they name? python -m autograder.conformance [LAB] [WORD]

Every file in solutions/NN-name/{wrong,slow,cheat}/ begins with what must come out:

    // verdict: WA task=hillis_steele      options: seconds=2 (limit of a call), max_n=5000, seed=7f
    // because: last, partly filled block

The text after `because:` must occur in the reason that a student would read. Tasks that a file does not
define come from solutions/NN-name/not_started.cc. The solution itself must get full marks, the skeleton
SKIP for every task.
"""

from __future__ import annotations

import os
import re
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from autograder.cli import ROOT
from autograder.errors import CompileError, GraderError
from autograder.explain.findings import finding_title
from autograder.plan.labs import find, folders
from autograder.plan.request import Request
from autograder.report.result import Result, TaskResult, compile_failure
from autograder.session import grade

SEED = 1
KINDS = ("wrong", "slow", "cheat")


@dataclass(frozen=True)
class Expected:
    """What a file's first two lines say must come out."""

    verdicts: tuple[str, ...]  # one of them
    task: str
    because: str
    options: dict[str, str]


@dataclass(frozen=True)
class Submission:
    """One thing to grade: a file, or the lab's solution or skeleton."""

    folder: Path  # of the lab
    kind: str  # "wrong", "slow", "cheat", "solution", "skeleton"
    file: Path | None = None

    @property
    def name(self) -> str:
        return f"{self.folder.name}/{self.kind}" + (f"/{self.file.name}" if self.file else "")


def header(path: Path) -> Expected:
    """Reads the first two lines."""
    lines = [*path.read_text("utf-8").splitlines()[:2], "", ""]
    verdict = re.match(r"// verdict: ([A-Z]+(?: or [A-Z]+)*)((?: \w+=\S+)*)\s*$", lines[0])
    because = re.match(r"// because: (.+?)\s*$", lines[1])
    if not verdict or not because:
        raise GraderError(f"{path}: the first two lines must be // verdict: WA task=NAME and // because: TEXT")
    options = dict(word.split("=", 1) for word in verdict[2].split())
    return Expected(tuple(verdict[1].split(" or ")), options.pop("task", ""), because[1], options)


def submissions(root: Path = ROOT) -> list[Submission]:
    """All of them, lab by lab."""
    found = []
    for folder in folders(root).values():
        found += [Submission(folder, "solution"), Submission(folder, "skeleton")]
        for kind in KINDS:
            files = sorted((root / "solutions" / folder.name / kind).glob("*.cu"))
            found += [Submission(folder, kind, file) for file in files]
    return found


def run(submission: Submission, root: Path = ROOT) -> str:
    """Grades one. Returns what is wrong with the outcome; empty: as it must be."""
    if submission.file is None:
        result, _ = grade(root, Request(submission.folder, solution=submission.kind == "solution", seed=SEED))
        return _whole(submission, result)
    expected = header(submission.file)
    options = expected.options
    request = Request(
        submission.folder,
        file=submission.file,
        tasks=[expected.task] if expected.task else [],
        seed=int(options.get("seed", f"{SEED:x}"), 16),
        max_n=int(options["max_n"]) if "max_n" in options else None,
        seconds=float(options.get("seconds", 0)) or None,
        jobs=1,
    )
    try:
        result, _ = grade(root, request)
    except CompileError as error:
        result = compile_failure(submission.folder, submission.file, error)
    task = result.tasks[0]
    told = told_to_student(task, result)
    if task.verdict not in expected.verdicts:
        return f"{task.verdict} where {' or '.join(expected.verdicts)} was to come out\n{told}"
    if expected.because.lower() not in told.lower():
        return f"the reason does not say {expected.because!r}\n{told}"
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


def start(pool: ThreadPoolExecutor, chosen: list[Submission]) -> dict[str, Future[str]]:
    return {submission.name: pool.submit(run, submission) for submission in chosen}


def main() -> int:
    """Prints a line for each submission."""
    lab = find(ROOT, sys.argv[1]) if len(sys.argv) > 1 else None
    word = sys.argv[2] if len(sys.argv) > 2 else ""
    chosen = [one for one in submissions() if lab in (None, one.folder) and word in one.name]
    begun = time.monotonic()
    wrong = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, future in start(pool, chosen).items():
            try:
                told = future.result()
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
            wrong += bool(told)
            print(f"{'WRONG' if told else 'ok   '} {name}", flush=True)
            if told:
                print("      " + told.replace("\n", "\n      "), flush=True)
    print(f"{len(chosen) - wrong} of {len(chosen)} as they must be, {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
