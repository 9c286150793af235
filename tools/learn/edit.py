"""The edit that repairs a task, found by experiments: compiled and graded before it is shown."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from learn.proved import Proved

MOST_TRIED = 3  # places in a line where the same text stands
# What the words of a change say and no compiler reads.
_WORDS = re.compile(r", rounded up$|(behind|before) the if$|after each statement$")


@dataclass(frozen=True)
class Edit:
    """The changed file, and what to do in a sentence."""

    text: str
    says: str


def edits(text: str, proved: Proved) -> Iterator[Edit]:
    """The edits of a file that the cause may mean, the likeliest first; none if it names no edit."""
    was, now = proved.was, _source(proved.now)
    if now is None or not is_source(proved):
        return
    lines = text.split("\n")
    if not 1 <= proved.line <= len(lines):
        return
    start = sum(len(line) + 1 for line in lines[: proved.line - 1])
    end = start + len(lines[proved.line - 1])
    if not was:
        yield from _insertions(text, start, end, now, proved.line)
        return
    if was.endswith(";") and now and not now.endswith((";", "}")):
        now += ";"
    pattern = re.compile(r"\s+".join(map(re.escape, was.split())))
    word = re.compile(r"\w")
    for found in pattern.finditer(text, start):
        if found.start() >= end:
            break
        around = text[max(0, found.start() - 1) : found.start()], text[found.end() : found.end() + 1]
        inside = (word.match(around[0]) and word.match(was[0])) or (word.match(around[1]) and word.match(was[-1]))
        if not inside:  # not in the middle of a name
            says = f"take out: {was}" if not now else f"in place of: {was}\nwrite: {now}"
            yield Edit(text[: found.start()] + now + text[found.end() :], says)
            if wide := _of_long_long(was, now):
                says = f"in place of: {was}\nwrite: {wide}"
                yield Edit(text[: found.start()] + wide + text[found.end() :], says)


def _source(now: str) -> str | None:
    """The new text as a compiler reads it; None if it is in words."""
    rounded = re.fullmatch(r"(.+) / (.+), rounded up", now)
    if rounded:
        return f"({rounded[1]} + {rounded[2]} - 1) / {rounded[2]}"
    return None if _WORDS.search(now) else re.sub(r"\bint\((\d+)\)", r"\1", now)


def _of_long_long(was: str, now: str) -> str:
    """The same atomicAdd of a long long, for which CUDA has none: the bits of the sum are those without a sign."""
    target = re.split(r"\s*\+?=(?!=)", was, maxsplit=1)[0]
    start, kind = f"atomicAdd(&{target}, ", "unsigned long long"
    if not now.startswith(start) or not now.endswith(");"):
        return ""
    added = now[len(start) : -len(");")]
    return f"atomicAdd(reinterpret_cast<{kind}*>(&{target}), static_cast<{kind}>({added}));"


def _insertions(text: str, start: int, end: int, now: str, line: int) -> Iterator[Edit]:
    """A statement behind the line; or behind its statement, within braces, if that is all of a loop or a branch."""
    now = now if now.endswith((";", "}")) else f"{now};"
    old = text[start:end]
    statement = old.strip()
    indent = old[: len(old) - len(old.lstrip())]
    yield Edit(f"{text[:end]}\n{indent}{now}{text[end:]}", f"behind line {line}, write: {now}")
    if statement.endswith(";"):
        together = f"{{ {statement} {now} }}"
        says = f"in place of: {statement}\nwrite: {together}"
        yield Edit(f"{text[:start]}{indent}{together}{text[end:]}", says)


def is_source(proved: Proved) -> bool:
    """Whether the cause names an edit of the source."""
    return proved.has_edit and _source(proved.now) is not None


def proven(text: str, name: str, proved: Proved, is_right: Callable[[Path], bool]) -> str:
    """What to do, if the task is right with it; "" if no edit of the file makes it right. `name`: the file's."""
    for at, edit in enumerate(edits(text, proved)):
        if at == MOST_TRIED:
            break
        with tempfile.TemporaryDirectory(prefix="cuda-labs-edit-") as folder:
            file = Path(folder) / name
            file.write_text(edit.text, "utf-8")
            if is_right(file):
                return edit.says
    return ""
