"""tests/submissions/NN-name/wrong/TASK.toml: the mistakes of a task; hostile/TASK.toml: attacks on the grader.

    [missing_barrier]
    verdict = "CHECK"                       # or several: ["WA", "CHECK"]
    because = "race in shared memory"       # must occur in what the grader says
    thought = "The threads of a block run in lockstep, so nobody has to wait."
    edit = '''
     (a patch of the solution, see edit.py)
    '''

Optional: cause = "missing_barrier" (what experiments must prove: autograder/cause/causes.py), truth = ["edge", "bound"]
(kinds of cause, and of findings that tell it: python -m mistakes.causes counts every other cause as false), at =
["atomicAdd("] (what stands in lines, besides those of the edit, where it may be said to be), told = "out of memory"
(words of the verdict's reason that name the mistake itself, where there is no cause to prove), kind = "slow" or
"cheat", task (else the name of the TOML file), seconds (limit of a call), max_n, seed.
With of = "right/one_tile.cu" the edit applies to that correct program instead of the solution, and with of = "tuned.cu"
to the solution's record.
Instead of an edit, file = "in_place.cu", beside the TOML file, for a submission with an algorithm of its own.

A cheat needs no `because`, and may get AC: then its attack has no effect, and its honest work earns its points.
It has more keys: root, what it attacks; gpu = true where it means something on a GPU only, or false on the virtual GPU
only; leaves = ["/tmp/mark", "build/**/mark", "process:name"], what must not exist afterwards.

Roots: 1 the device in the student's process, 2 the clock of a GPU, 3 files, processes and networks that are not the
student's, 4 limits of time, memory, processes and files, 5 how a timed call differs from a checked one, 6 ready-made
code, 7 words that the grader believes or repeats, 8 streams that nothing orders, 9 the modelled clock.
"""

from __future__ import annotations

import difflib
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

Verdict = Literal["WA", "SLOW", "CHECK", "RTE", "TLE", "MLE", "CE", "AC"]
Words = Annotated[str, msgspec.Meta(min_length=1)]
FOLDERS = ("wrong", "hostile")
RECORD = "tuned.cu"  # in solutions/NN-name: what is faster than a lesson (solutions/README.md)


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the TOML file says of one mistake."""

    verdict: Verdict | Annotated[list[Verdict], msgspec.Meta(min_length=1)]
    thought: Words
    because: str = ""
    cause: str = ""  # its kind, if experiments must prove it: autograder/cause/causes.py
    truth: list[Words] = []  # kinds of cause or finding that are true of it; empty: the inverse of the edit alone is
    told: str = ""  # words of the reason that name the mistake itself, where no cause is to be proved
    at: list[Words] = []  # what stands in further lines where it is right to say that it is
    edit: str = ""
    of: str = ""
    file: str = ""
    kind: Literal["wrong", "slow", "cheat"] = "wrong"
    task: str = ""
    seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    max_n: Annotated[int, msgspec.Meta(ge=0)] | None = None
    seed: int | None = None
    root: Annotated[int, msgspec.Meta(ge=1, le=9)] | None = None
    gpu: bool | None = None
    leaves: list[Words] = []


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
        """The verdicts that it may get; the schedule decides which."""
        return self.entry.verdict if isinstance(self.entry.verdict, list) else [self.entry.verdict]

    @property
    def solution(self) -> Path:
        """solutions/NN-name."""
        return self.lab.parents[1] / "solutions" / self.lab.name

    @property
    def source(self) -> Path:
        """The file that is edited, or the mistake's own file."""
        if self.entry.file:
            return self.path.parent / self.entry.file
        if self.entry.of:
            return (self.solution if self.entry.of == RECORD else place(self.lab)) / self.entry.of
        return self.solution / f"{self.task}.cu"

    @property
    def command(self) -> str:
        return f"./grader mistake {int(self.lab.name[:2])} {self.name}"

    @property
    def title(self) -> str:
        return f"{self.lab.name}/{self.task}/{self.name}"

    def error(self, text: object) -> MistakeError:
        return MistakeError(f"{self.path}: {self.name}: {text}")


def place(lab: Path) -> Path:
    """tests/submissions/NN-name, where a lab's wrong, right and hostile programs are."""
    return lab.parents[1] / "tests" / "submissions" / lab.name


def mistakes_of(lab: Path) -> list[Mistake]:
    """A lab's mistakes, in the order of its tasks and of the files. MistakeError names file and entry."""
    tasks = task_names(lab)
    found: dict[str, Mistake] = {}
    for path in [path for folder in FOLDERS for path in sorted((place(lab) / folder).glob("*.toml"))]:
        for mistake in _read(lab, path, tasks):
            if mistake.name in found:
                raise mistake.error(f"{found[mistake.name].path.name} has a mistake of this name, too")
            found[mistake.name] = mistake
    return sorted(found.values(), key=lambda mistake: tasks.index(mistake.task))


def all_mistakes(root: Path) -> list[Mistake]:
    """The mistakes of all labs."""
    return [mistake for lab in folders(root).values() for mistake in mistakes_of(lab)]


def find_mistake(lab: Path, name: str) -> Mistake:
    """The mistake of that name."""
    known = {mistake.name: mistake for mistake in mistakes_of(lab)}
    if name not in known:
        number, close = int(lab.name[:2]), difflib.get_close_matches(name, list(known), 1)
        said = f"did you mean {close[0]!r}?" if close else f"./grader mistake {number} lists them"
        raise UsageError(f"lab {number} has no mistake {name!r}; {said}")
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
        if entry.of and not entry.edit:
            raise mistake.error("of says what its edit is of, and it has none")
        if entry.kind != "cheat" and (not entry.because or "AC" in mistake.verdicts or entry.root or entry.leaves):
            raise mistake.error("only a cheat has a root, leaves something, gets AC, or needs no because")
        if mistake.task not in tasks:
            raise mistake.error(f"there is no task {mistake.task!r}{suggest(mistake.task, tasks)}")
        found.append(mistake)
    return found
