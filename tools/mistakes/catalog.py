"""solutions/NN-name/mistakes/TASK.toml: the mistakes of a task.

    [missing_barrier]
    verdict = "CHECK"                       # or several: ["WA", "CHECK"]
    because = "race in shared memory"       # must occur in what the grader says
    thought = "The threads of a block run in lockstep, so nobody has to wait."
    edit = '''
     (a patch of the rung, see edit.py)
    '''

Optional: kind = "slow" or "cheat", task (else the name of the TOML file), seconds (limit of a call), max_n, seed.
Instead of an edit, file = "in_place.cu", beside the TOML file, for a submission with an algorithm of its own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from autograder.build.compiler import task_names
from autograder.errors import UsageError
from autograder.plan.labs import folders, suggest
from mistakes.edit import MistakeError

TO_BE_WRITTEN = "?"  # what --new leaves to its author

Verdict = Literal["WA", "SLOW", "CHECK", "RTE", "TLE", "MLE", "CE"]
Words = Annotated[str, msgspec.Meta(min_length=1)]


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the TOML file says of one mistake."""

    verdict: Verdict | Annotated[list[Verdict], msgspec.Meta(min_length=1)]
    because: Words
    thought: Words
    edit: str = ""
    file: str = ""
    kind: Literal["wrong", "slow", "cheat"] = "wrong"
    task: str = ""
    seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    max_n: Annotated[int, msgspec.Meta(ge=0)] | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Mistake:
    """One mistake of one task."""

    lab: Path  # labs/NN-name
    path: Path  # of the TOML file
    name: str
    task: str
    entry: Entry

    @property
    def verdicts(self) -> Sequence[str]:
        """Those that it may get; the schedule decides which."""
        return self.entry.verdict if isinstance(self.entry.verdict, list) else [self.entry.verdict]

    @property
    def solution(self) -> Path:
        """solutions/NN-name."""
        return self.lab.parents[1] / "solutions" / self.lab.name

    @property
    def source(self) -> Path:
        """What is edited, or stands by itself."""
        if self.entry.file:
            return self.path.parent / self.entry.file
        return self.solution / f"{self.task}.cu"

    @property
    def command(self) -> str:
        return f"./grader mistake {int(self.lab.name[:2])} {self.name}"

    @property
    def title(self) -> str:
        return f"{self.lab.name}/{self.task}/{self.name}"

    def error(self, text: object) -> MistakeError:
        return MistakeError(f"{self.path}: {self.name}: {text}")


def mistakes_of(lab: Path) -> list[Mistake]:
    """A lab's mistakes, in the order of its tasks and of the files. MistakeError names file and entry."""
    tasks = task_names(lab)
    found: dict[str, Mistake] = {}
    for path in sorted((lab.parents[1] / "solutions" / lab.name / "mistakes").glob("*.toml")):
        for mistake in _read(lab, path, tasks):
            if mistake.name in found:
                raise mistake.error(f"{found[mistake.name].path.name} has a mistake of this name, too")
            found[mistake.name] = mistake
    return sorted(found.values(), key=lambda mistake: tasks.index(mistake.task))


def all_mistakes(root: Path) -> list[Mistake]:
    """Those of all labs."""
    return [mistake for lab in folders(root).values() for mistake in mistakes_of(lab)]


def find_mistake(lab: Path, name: str) -> Mistake:
    """The mistake of that name."""
    known = {mistake.name: mistake for mistake in mistakes_of(lab)}
    if name not in known:
        raise UsageError(f"lab {int(lab.name[:2])} has no mistake {name!r}{suggest(name, list(known))}")
    return known[name]


def _read(lab: Path, path: Path, tasks: list[str]) -> list[Mistake]:
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise MistakeError(f"{path}: {error}") from None
    found = []
    for name, table in tables.items():
        try:
            entry = msgspec.convert(table, Entry)
        except msgspec.ValidationError as error:
            raise MistakeError(f"{path}: {name}: {error}") from None
        mistake = Mistake(lab, path, name, entry.task or path.stem, entry)
        if not re.fullmatch(r"[a-z0-9_]+", name):
            raise mistake.error("a name is made of small letters, digits and _")
        if bool(entry.edit) == bool(entry.file):
            raise mistake.error("it needs either edit or file")
        if mistake.task not in tasks:
            raise mistake.error(f"there is no task {mistake.task!r}{suggest(mistake.task, tasks)}")
        found.append(mistake)
    return found
