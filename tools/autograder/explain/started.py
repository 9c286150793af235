"""A task that still calls todo(): not begun, or written with the call left in it?"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from autograder.errors import GraderError
from autograder.explain.explanation import Explanation
from autograder.source import text_of

LEFT = "todo() is left"


class Skipped(Protocol):
    """A task's verdict and reason."""

    @property
    def verdict(self) -> str: ...
    @property
    def reason(self) -> str: ...


def todo_is_left(task: Skipped) -> bool:
    """Whether a task is not graded only because todo() is still there."""
    return task.verdict == "SKIP" and task.reason.startswith(LEFT)


def with_todo(said: Explanation, task: str, file: Path, skeleton: Path) -> Explanation:
    """The explanation of a task that is skipped; it says so if the file has code for it."""
    if not is_written(task, text_of(file), text_of(skeleton)):
        return said
    where = f" in {said.where}" if said.where else ""
    return replace(said, reason=f"{LEFT}{where}: take it out, and what you have written is graded")


def is_written(task: str, written: str, skeleton: str) -> bool:
    """Whether the task's function, or one that it uses, has more code than in the skeleton."""
    if not written or not skeleton or written == skeleton:
        return False
    try:
        mine, theirs = _code(task, written), _code(task, skeleton)
    except (GraderError, ValueError):  # not for this parser: nothing is known
        return False
    return any(len(text) > len(theirs.get(name, "")) for name, text in mine.items())


def _code(task: str, text: str) -> dict[str, str]:
    """The bodies of the task's function and of those that it uses, without comments, spaces and todo()."""
    from autograder.cause.source import Source, reached

    source = Source("", text.encode())
    found: dict[str, str] = {}
    for function in reached(source.functions, source.aliases, {task}):
        body = function.node.child_by_field_name("body")
        assert body is not None
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", (body.text or b"").decode(), flags=re.DOTALL)
        code = re.sub(r"\btodo\s*\([^)]*\)\s*;", "", code)
        found[function.label] = found.get(function.label, "") + re.sub(r"\s+", "", code)
    return found
