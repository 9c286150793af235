"""What is to be graded, as the command line or another program asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.errors import UsageError
from autograder.plan.labs import file_of, suggest
from autograder.plan.manifest import Manifest

if TYPE_CHECKING:
    from autograder.plan.tables import LabTable


@dataclass(frozen=True)
class Request:
    """One run of the grader over one lab."""

    folder: Path
    solution: bool = False
    file: Path | None = None
    tasks: Sequence[str] = ()
    first: str = ""  # the task to begin with; the others follow in the order of the ladder
    n: int | None = None
    variant: str | None = None
    max_n: int | None = None
    seed: int | None = None
    timed: bool = True
    jobs: int = 0
    seconds: float | None = None
    device: str = ""
    causes: bool = True  # look for the cause of a failure by experiments
    study: bool = False  # further calls for a report: times over sizes, addresses of the costliest line
    sandbox: bool = True  # if there is one
    reference: Path | None = None
    private: Path | None = None  # the instructor's private cases
    unchanged: bool = False  # keep the verdicts of tasks that are as they were when they had full points

    @property
    def source(self) -> str:
        """What is graded, in a word."""
        if self.file is not None:
            return self.file.name
        return "solution" if self.solution else "lab"

    def source_file(self, root: Path) -> Path:
        """The file that is graded."""
        return self.file or file_of(root, self.folder.name, self.solution)

    def command(self, number: int) -> str:
        """The command line that repeats this request."""
        words = ["./grader", str(number)]
        if self.file is not None:
            words += ["--file", str(self.file)]
        elif self.solution:
            words.append("--solution")
        words += ["--device", self.device] if self.device else []
        return " ".join(words + ([] if self.sandbox else ["--no-sandbox"]))


def check_tasks(manifest: Manifest, asked: Sequence[str]) -> None:
    """UsageError for one that the lab does not have."""
    names = [task.name for task in manifest.task]
    for name in asked:
        if name not in names:
            raise UsageError(f"lab {manifest.number} has no task {name!r}{suggest(name, names)}")


def chosen(request: Request, manifest: Manifest, table: LabTable) -> list[str]:
    """The names of the tasks to grade, in the order of the ladder."""
    check_tasks(manifest, request.tasks)
    names = [task.name for task in table.tasks]
    picked = [name for name in names if not request.tasks or name in request.tasks]
    if request.variant is not None:
        picked = [name for name in picked if request.variant in (table.task(name).variants or [""])]
        if not picked:
            known = sorted({variant for task in table.tasks for variant in task.variants})
            said = suggest(request.variant, known) if known else "; they have no variants, leave --variant out"
            raise UsageError(f"none of these tasks has a variant {request.variant!r}{said}")
    if request.n is not None:
        for name in picked:
            if not 0 <= request.n <= table.task(name).max_n:
                raise UsageError(f"{name} takes n from 0 to {table.task(name).max_n:,}, not {request.n:,}")
    return picked
