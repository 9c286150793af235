"""The edit that turns one text into another, with the least context that makes every hunk fit only once."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mistakes.edit import Hunk, MistakeError, places_of

NEAR = 2  # unchanged lines between two changes that are easier to read as one

Lines = tuple[int, int]  # from the first to before the second, as in range()


def edit_between(before: dict[str, str], after: dict[str, str], task_file: str) -> list[Hunk]:
    """Hunks of all files of `before`, those of the task's file first."""
    names = sorted(before, key=lambda name: (name != task_file, name))
    return [hunk for name in names for hunk in _hunks(name, before[name], after.get(name, before[name]))]


def _hunks(file: str, before: str, after: str) -> Iterator[Hunk]:
    old, new = before.splitlines(), after.splitlines()
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changes = _joined([(a, b) for kind, a, b, _, _ in codes if kind != "equal"], NEAR)
    spans = [_with_context(file, old, change) for change in changes]
    while any(one[1] > other[0] for one, other in pairwise(spans)):  # where contexts overlap, one hunk
        changes = [_around(span, changes) for span in _joined(spans, -1)]
        spans = [_with_context(file, old, change) for change in changes]
    for span, change in zip(spans, changes, strict=True):
        yield Hunk(file, tuple(_signed(old, new, codes, span, change)))


def _joined(ranges: Sequence[Lines], near: int) -> list[Lines]:
    joined: list[Lines] = []
    for first, last in ranges:
        if joined and first - joined[-1][1] <= near:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def _around(span: Lines, changes: Sequence[Lines]) -> Lines:
    inside = [change for change in changes if span[0] <= change[0] and change[1] <= span[1]]
    return inside[0][0], inside[-1][1]


def _with_context(file: str, lines: list[str], change: Lines) -> Lines:
    """The shortest piece of text around a change that occurs only once."""
    first, last = change
    for size in range(len(lines) + 1):
        for above in sorted(range(size + 1), key=lambda above: (abs(size - 2 * above), -above)):
            begin, end = first - above, last + size - above
            if begin < 0 or end > len(lines) or begin == end:
                continue
            if not (lines[begin].strip() or begin == first) or not (lines[end - 1].strip() or end == last):
                continue  # a blank line at the edge says little
            if len(places_of(lines[begin:end], lines)) == 1:
                return begin, end
    raise MistakeError(f"{file}: line {first + 1} cannot be told from others")


def _signed(
    old: list[str], new: list[str], codes: Sequence[tuple[str, int, int, int, int]], span: Lines, change: Lines
) -> Iterator[str]:
    for kind, a, b, c, d in codes:
        if kind == "equal":
            yield from (f" {line}" for line in old[max(a, span[0]) : min(b, span[1])])
        elif change[0] <= a and b <= change[1]:
            yield from (f"-{line}" for line in old[a:b])
            yield from (f"+{line}" for line in new[c:d])
