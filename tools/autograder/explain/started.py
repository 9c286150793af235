"""What of the skeleton is left in a task: a call of todo(), or a line that says "not right yet"."""

from __future__ import annotations

import re
from collections.abc import Collection, Set
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from autograder.errors import GraderError
from autograder.explain.explanation import NOT_KNOWN, Explanation
from autograder.source import text_of

LEFT = "todo() is left"
NOT_YET = "not right yet"  # in comments of skeletons
_NAME = re.compile(r"\w+")


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


def with_unfinished(said: Explanation, task: str, file: Path, skeleton: Path, ran: Collection[int]) -> Explanation:
    """Where the cause is not known: the first line of the skeleton that is not right yet and that the task still has,
    in a function of its own or in one that the lab's headers call for it. `ran`: lines of kernels in the wrong call."""
    if NOT_KNOWN not in said.details:
        return said
    called = {name for header in skeleton.parent.parent.glob("*.h") for name in _NAME.findall(text_of(header))}
    try:
        left = _unfinished(task, text_of(file), text_of(skeleton), called, ran)
    except (GraderError, ValueError):
        return said
    return replace(said, details=tuple(left if left and one == NOT_KNOWN else one for one in said.details))


def _unfinished(task: str, text: str, skeleton: str, called: Set[str], ran: Collection[int]) -> str:
    from autograder.cause.source import Source, reached

    source, kept = Source("", text.encode()), {line.strip() for line in skeleton.splitlines() if NOT_YET in line}
    own = {one.node.id for one in reached(source.functions, source.aliases, {task})}
    for function in source.functions:
        body = (function.node.text or b"").decode()
        first, last = function.node.start_point[0] + 1, function.node.end_point[0] + 1
        is_called = function.name in called and "todo(" not in body and any(first <= line <= last for line in ran)
        if function.node.id not in own and not is_called:
            continue
        for number, line in enumerate(body.splitlines(), first):
            if line.strip() in kept:
                return f'line {number}, in {function.name}, is as in the skeleton, which says "{NOT_YET}"'
    return ""


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
