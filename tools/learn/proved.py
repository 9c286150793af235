"""The causes that the last run has proved, in build/proved/NN-name.json: the last hints of a task are made of them.

They are not in progress.toml, which students read: a cause holds the edit that repairs the task.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autograder.files import write_whole
from autograder.plan.labs import file_of
from autograder.source import line_of, lines_of, text_of

if TYPE_CHECKING:
    from autograder.plan.request import Request
    from autograder.report.result import Result, TaskResult

WHOLE_LINE = 1000  # characters


class Proved(msgspec.Struct, frozen=True):
    """What was wrong with a task, and the line as it was then."""

    title: str
    line: int
    text: str
    kind: str = ""
    was: str = ""
    now: str = ""
    n: int = 0  # of the call that failed
    checked: str = ""  # sha256 of the file in which the edit was tried
    says: str = ""  # the edit in words; "" if none was found that makes the task right

    @property
    def has_edit(self) -> bool:
        return bool(self.was or self.now)


class Kept(msgspec.Struct, frozen=True):
    """All of a lab."""

    task: dict[str, Proved] = {}


def path_of(root: Path, lab: str) -> Path:
    return root / "build" / "proved" / f"{lab}.json"


def read(root: Path, lab: str) -> dict[str, Proved]:
    """The causes that still hold: those whose line is as it was."""
    lines = lines_of(text_of(file_of(root, lab)))
    return {name: one for name, one in _read(root, lab).items() if line_of(lines, one.line, WHOLE_LINE) == one.text}


def keep(root: Path, request: Request, result: Result, counts: bool) -> None:
    """Keeps the causes of a run of the lab's own file. `counts`: a task without one has none any more."""
    if request.file is not None or request.solution:
        return
    known = _read(root, request.folder.name)
    lines = lines_of(text_of(request.source_file(root)))
    for task in result.tasks:
        proved = _proved(task, result.lab.file, lines)
        if proved:
            known[task.name] = proved
        elif counts:
            known.pop(task.name, None)
    _write(root, request.folder.name, known)


def replaced(root: Path, lab: str, task: str, proved: Proved) -> None:
    """Keeps more about a cause that is known."""
    _write(root, lab, _read(root, lab) | {task: proved})


def _write(root: Path, lab: str, known: dict[str, Proved]) -> None:
    path = path_of(root, lab)
    with contextlib.suppress(OSError):  # a hint less
        if known or path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, msgspec.json.encode(Kept(known)))


def _proved(task: TaskResult, file: str, lines: list[str]) -> Proved | None:
    cause = task.cause
    if cause is None:
        return None
    name, _, number = cause.where.rpartition(":")
    if name != file or not number.isdecimal():
        return None
    n = task.failure.n if task.failure else 0
    text = line_of(lines, int(number), WHOLE_LINE)
    return Proved(cause.title, int(number), text, cause.kind, cause.was, cause.now, n)


def _read(root: Path, lab: str) -> dict[str, Proved]:
    try:
        return dict(msgspec.json.decode(path_of(root, lab).read_bytes(), type=Kept).task)
    except (OSError, msgspec.MsgspecError):
        return {}
