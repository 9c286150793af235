"""The last hints of a task whose cause is proved: where it is, then what to write there, after that has been tried."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec

from autograder.plan.labs import file_of
from autograder.plan.manifest import Manifest
from autograder.report.hints import Hint
from autograder.source import text_of
from learn import edit, proved
from learn.proved import Proved

LARGEST = 2_100  # n of the calls with which an edit is tried, or twice the size that failed

Right = Callable[[Path], bool]


def hints(root: Path, folder: Path, manifest: Manifest, task: str, is_right: Right | None = None) -> list[Hint]:
    """What lab.toml lets a student see of the cause; none if no cause is known, or its line has changed."""
    known = proved.read(root, folder.name).get(task)
    if known is None or manifest.reveal == "cause":
        return []
    found: list[Hint] = [
        lambda: [f"{known.title}: {manifest.file}, line {known.line}", f"> {known.line:5}  {known.text}"]
    ]
    if manifest.reveal == "edit" and edit.is_source(known):
        found.append(lambda: _edit(root, folder, task, known, is_right or _graded(root, folder, task, known)))
    return found


def _edit(root: Path, folder: Path, task: str, known: Proved, is_right: Right) -> list[str]:
    """The edit in words; it is compiled and graded once for each state of the file."""
    file = file_of(root, folder.name)
    text = text_of(file)
    digest = hashlib.sha256(text.encode()).hexdigest()
    if known.checked != digest:
        says = edit.proven(text, file.name, known, is_right)
        known = msgspec.structs.replace(known, checked=digest, says=says)
        proved.replaced(root, folder.name, task, known)
    if not known.says:
        return ["no edit of this line alone makes the task right: look at what it works with"]
    return [*known.says.splitlines(), "tried: with this edit the task is right"]


def _graded(root: Path, folder: Path, task: str, known: Proved) -> Right:
    """Whether the grader accepts a file, at sizes up to twice the one that failed."""

    def is_right(file: Path) -> bool:
        from autograder.cage.cage import unavailable
        from autograder.errors import CompileError
        from autograder.plan.request import Request
        from autograder.session import grade

        largest = max(LARGEST, 2 * known.n)
        request = Request(
            folder, file=file, tasks=(task,), max_n=largest, timed=False, causes=False, sandbox=not unavailable()
        )
        try:
            result, _ = grade(root, request)
        except CompileError:
            return False
        return result.passed

    return is_right
