"""An edit: a patch without line numbers, whose every hunk must fit in exactly one place.

    @@ blelloch.cu
         for (int stride = 1; stride < kWarpStride; stride *= 2) {
    -        __syncthreads();
             if (t < kPairs / stride) up(s_tile, t, stride);

A line begins with ' ' (context), '-' (removed) or '+' (added). `@@` begins a hunk; the name after it may be left out
where the hunk is in the task's own file.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.errors import UsageError


class MistakeError(UsageError):
    """A mistake that cannot be read or no longer fits the solution; the message says what to do about it."""


@dataclass(frozen=True)
class Hunk:
    """One change: its lines, each with its sign."""

    file: str
    lines: tuple[str, ...]

    @property
    def old(self) -> list[str]:
        """Context and removed lines: what must occur exactly once."""
        return [line[1:] for line in self.lines if line[0] != "+"]


@dataclass(frozen=True)
class Misfit:
    """A hunk that fits nowhere, or in several places."""

    number: int  # of the hunk within its edit, from 1
    file: str
    places: tuple[int, ...]  # line numbers
    nearest: int = 0  # the first line that differs at the most similar place, if there is no exact one
    nearest_text: str = ""

    def __str__(self) -> str:
        if self.places:
            lines = ", ".join(str(line) for line in self.places)
            return f"hunk {self.number} fits {len(self.places)} times in {self.file}, at lines {lines}: add context"
        nearest = f"the nearest place differs in line {self.nearest}: {self.nearest_text}"
        return f"hunk {self.number} fits nowhere in {self.file}; {nearest}"


def parse(text: str, task_file: str) -> list[Hunk]:
    """The hunks of an edit. `task_file`: the file of hunks that name none."""
    hunks: list[tuple[str, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("@@"):
            hunks.append((line[2:].strip() or task_file, []))
            continue
        if line and line[0] not in " -+":
            raise MistakeError(f"line {number} of the edit begins with neither ' ', '-', '+' nor '@@': {line}")
        if not hunks:
            hunks.append((task_file, []))
        hunks[-1][1].append(line or " ")  # editors strip the space of an empty context line
    for number, (_, lines) in enumerate(hunks, 1):
        if all(line[0] == " " for line in lines):
            raise MistakeError(f"hunk {number} changes nothing")
        if all(line[0] == "+" for line in lines):
            raise MistakeError(f"hunk {number} only adds lines: give it the line before or after them")
    return [Hunk(file, tuple(lines)) for file, lines in hunks]


def written(hunks: Sequence[Hunk], task_file: str) -> str:
    """The text of an edit: the inverse of parse()."""
    lines: list[str] = []
    for at, hunk in enumerate(hunks):
        if hunk.file != task_file:
            lines.append(f"@@ {hunk.file}")
        elif at:
            lines.append("@@")
        lines += [line.rstrip() for line in hunk.lines]
    return "\n".join(lines) + "\n"


def apply(texts: dict[str, str], hunks: Sequence[Hunk]) -> tuple[dict[str, str], list[Misfit]]:
    """The edited files, and the hunks that were left out because they do not fit exactly once."""
    made = dict(texts)
    misfits: list[Misfit] = []
    for file in dict.fromkeys(hunk.file for hunk in hunks):
        if file not in texts:
            raise MistakeError(f"the edit names {file}; there are: {', '.join(texts)}")
        numbered = [(number, hunk) for number, hunk in enumerate(hunks, 1) if hunk.file == file]
        made[file], unfit = _apply(texts[file].splitlines(), numbered)
        misfits += unfit
    return made, misfits


def _apply(lines: list[str], hunks: Sequence[tuple[int, Hunk]]) -> tuple[str, list[Misfit]]:
    removed: set[int] = set()
    added: dict[int, list[str]] = {}  # before the line with that index
    misfits = []
    for number, hunk in hunks:
        places = places_of(hunk.old, lines)
        if len(places) != 1:
            misfits.append(_misfit(number, hunk, lines, places))
            continue
        at = places[0]
        changed = {at + i for i, line in enumerate(one for one in hunk.lines if one[0] != "+") if line[0] == "-"}
        if changed & removed:
            raise MistakeError(f"hunk {number} removes line {min(changed & removed) + 1}, as a hunk before it does")
        removed |= changed
        for line in hunk.lines:
            if line[0] == "+":
                added.setdefault(at, []).append(line[1:])
            else:
                at += 1
    kept = [[*added.get(at, []), *([line] if at not in removed else [])] for at, line in enumerate(lines)]
    return "".join(f"{line}\n" for part in [*kept, added.get(len(lines), [])] for line in part), misfits


def places_of(piece: list[str], lines: list[str]) -> list[int]:
    """The indices at which these lines occur among the others."""
    return [at for at in range(len(lines) - len(piece) + 1) if lines[at : at + len(piece)] == piece]


def _misfit(number: int, hunk: Hunk, lines: Sequence[str], places: Sequence[int]) -> Misfit:
    if places:
        return Misfit(number, hunk.file, tuple(at + 1 for at in places))
    matcher = difflib.SequenceMatcher(None, autojunk=False)
    matcher.set_seq2("\n".join(line.strip() for line in hunk.old))
    best, nearest = 0.0, 0
    for at in range(len(lines)):
        matcher.set_seq1("\n".join(line.strip() for line in lines[at : at + len(hunk.old)]))
        if matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, nearest = ratio, at
    there = zip(range(nearest, len(lines)), hunk.old, strict=False)
    other = next((at for at, line in there if lines[at] != line), nearest)
    return Misfit(number, hunk.file, (), other + 1, lines[other].strip() if lines else "")
