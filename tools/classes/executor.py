"""Where the files of a class are graded: what every executor does, and what it hands back.

An executor grades single files and knows nothing about the class. It gets Tasks and returns an Ended for each, in the
order in which they end. It stores nothing; only the loop does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

MOST_RESULT = 64 << 20  # bytes of one result
SOURCE = "@SOURCE@"  # in a task's words: stands for the path of the file on the machine that grades it
Code = int | Literal["time", "lost"]


@dataclass(frozen=True)
class Task:
    """One file, and how it is graded. It is sent to other machines, so it holds everything that grading needs."""

    digest: str
    file: str  # scan.cu
    data: bytes
    words: Sequence[str]  # the command, with SOURCE in it
    variables: dict[str, str] = field(repr=False)  # environment variables, in addition to the machine's
    seconds: float  # for all


@dataclass(frozen=True)
class Ended:
    """A task's end. `code`: the grader's exit status; "time": exceeded its time; "lost": its machine was lost."""

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
        """Queues the task; it starts soon."""

    def wait(self, seconds: float) -> list[Ended]:
        """Tasks that have ended since the last call, once there are any; none after `seconds`. Raises GraderError."""

    def close(self) -> None:
        """Ends what still runs."""
