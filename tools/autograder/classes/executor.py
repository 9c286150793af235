"""Where the files of a class are graded: what every executor does, and what it hands back.

An executor runs the grader over single files and knows nothing of the class: it gets a Task, and gives back what came
of it, an Ended, in whatever order they end. It stores nothing; only the loop does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

MOST_RESULT = 64 << 20  # bytes of one result
SOURCE = "@SOURCE@"  # in a task's words, the path of the file where it is graded
Code = int | Literal["time", "lost"]


@dataclass(frozen=True)
class Task:
    """One file, and how it is graded. Goes to other machines: all that it takes is in it."""

    digest: str
    file: str  # scan.cu
    data: bytes
    words: Sequence[str]  # the command, with SOURCE in it
    variables: dict[str, str] = field(repr=False)  # of its environment, beside those of the machine
    seconds: float  # for all


@dataclass(frozen=True)
class Ended:
    """What came of a task. `code`: the grader's exit status; "time": ended for its time; "lost": with its machine."""

    digest: str
    code: Code
    output: bytes = b""
    errors: str = ""
    seconds: float = 0.0
    memory: int = 0  # bytes, the most that was seen
    place: str = ""  # the machine, where it may be another one


class Executor(Protocol):
    """Made for one run over a class, and closed after it, whatever has happened."""

    slots: int  # tasks that it is given at a time
    where: str  # for people: "2 at a time"

    def start(self, task: Task) -> None:
        """Soon begins with it."""

    def wait(self, seconds: float) -> list[Ended]:
        """Those that have ended since, as soon as there are any; none after `seconds`. Raises GraderError."""

    def close(self) -> None:
        """Ends what still runs."""
