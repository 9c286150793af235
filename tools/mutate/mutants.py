"""Mutants of a task: each with a name that lasts, in the order in which they are taken."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from dataclasses import dataclass

from autograder.cause.source import Function, Source
from mutate import cuda_edits  # noqa: F401  (registers its operators)
from mutate.edits import Edit, edits
from mutate.source import Solution, TaskCode

ID_BYTES = 4


@dataclass(frozen=True)
class Mutant:
    """One mistake in one place. The id is made of the file, the line's text, and the mistake: it outlives changes
    elsewhere in the file."""

    id: str
    operator: str
    file: str
    line: int
    text: str  # of the line as it stands
    change: str  # "before → after"
    function: str
    edit: Edit

    def apply(self, text: bytes) -> bytes:
        changed = text[: self.edit.start] + self.edit.text.encode() + text[self.edit.end :]
        return f"{self.edit.helper}\n#line 1\n".encode() + changed if self.edit.helper else changed

    def diff(self, text: bytes) -> str:
        before, after = text.decode().splitlines(), self.apply(text).decode().splitlines()
        lines = difflib.unified_diff(before, after, self.file, self.file, n=2, lineterm="")
        return "\n".join(lines)


def candidates(solution: Solution, code: TaskCode) -> list[Mutant]:
    """Everything that can be done to a task, in the order of the text; the same change only once."""
    found: dict[tuple[str, int, int, str], Mutant] = {}
    for function in code.functions:
        source = solution.sources[function.file]
        for edit in edits(function):
            found.setdefault((source.name, edit.start, edit.end, edit.text), mutant(source, function, edit))
    return list(found.values())


def mutant(source: Source, function: Function, edit: Edit) -> Mutant:
    start = source.text.rfind(b"\n", 0, edit.start) + 1
    end = source.text.find(b"\n", edit.start)
    raw = source.text[start : end if end >= 0 else None]
    indent = len(raw) - len(raw.lstrip())
    line = raw.strip().decode()
    # Which of several equal lines, and which place in it.
    before = [one.strip() for one in source.text[:start].splitlines()]
    words = (source.name, line, before.count(raw.strip()), edit.operator, edit.start - start - indent, edit.text)
    first, last = edit.around if edit.around[1] else (edit.start, edit.end)
    parts = source.text[first : edit.start].decode(), source.text[edit.end : last].decode()
    old, new = (_one_line(text) for text in (source.text[first:last].decode(), edit.text.join(parts)))
    return Mutant(
        hashlib.blake2b(repr(words).encode(), digest_size=ID_BYTES).hexdigest(),
        edit.operator,
        source.name,
        source.line(edit.start),
        line,
        f"{old or 'nothing'} → {new or 'nothing'}",
        function.label,
        edit,
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def ordered(found: list[Mutant]) -> list[Mutant]:
    """In the order in which they are taken: operators in turn, each time on a line that has had the fewest."""

    def chance(one: Mutant) -> bytes:
        return hashlib.blake2b(one.id.encode(), digest_size=8).digest()

    waiting = sorted(found, key=chance)
    operators: Counter[str] = Counter()
    lines: Counter[tuple[str, int]] = Counter()
    taken = []
    while waiting:
        # min() takes the first of equals: what chance put first.
        best = min(waiting, key=lambda one: (operators[one.operator], lines[one.file, one.line]))
        waiting.remove(best)
        operators[best.operator] += 1
        lines[best.file, best.line] += 1
        taken.append(best)
    return taken
