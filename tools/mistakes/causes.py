"""python -m mistakes.causes [LAB] [WORD] [--why]: how often the grader names the cause of a wrong program, and where.

Each program is graded as students hand it in, as one file. The truth is the edit that made it: a line that it changed,
or one beside a line that it took out; and the kinds in `truth` of its entry. A cause whose change is the edit's inverse
is right, whatever it is called. `--why` says what became of the changes that would have been right (mistakes/why.py).
"""

from __future__ import annotations

import difflib
import re
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from os import cpu_count
from pathlib import Path

import msgspec

from autograder.cause import experiments
from autograder.cause.causes import kind_of
from autograder.cause.change import Change
from autograder.plan.labs import folders
from mistakes.alone import graded
from mistakes.catalog import Mistake, mistakes_of
from mistakes.conformance import request_for
from mistakes.flat import flat_texts, write_flat
from mistakes.why import Watched

SECONDS = 200.0  # of a task's experiments: their work limits them, and other programs' load says nothing
BESIDE = 2  # lines: what is missing may be put before or behind a neighbouring statement
OBSERVED = ("unread_input", "unread", "made_of")  # they say what is, which is true, but may not be the mistake
COMMENT = re.compile(r"//.*")
ROOT = Path(__file__).resolve().parents[2]


class Row(msgspec.Struct, frozen=True):
    """What the grader said of one wrong program."""

    title: str
    lab: int
    verdict: str
    kind: str  # of the cause, or of a finding that tells it; "": none is named
    where: str  # file:line
    line_right: bool | None  # None: no line is named, or the truth has none
    kind_right: bool | None  # None: no cause is named, or the truth has no kind
    was: str
    now: str
    findings: list[str]
    reason: str
    lines: int  # on the screen, below the verdict
    seconds: float
    why: list[str]  # what became of the true changes

    @property
    def is_false(self) -> bool:
        """Whether something is claimed that the truth excludes."""
        return bool(self.kind) and (self.line_right is False or self.kind_right is False)


def lines_of(mistake: Mistake) -> set[int]:
    """The lines of the wrong file where the mistake is; empty if it is in another file, or a program of its own."""
    before, after = (text.splitlines() for text in flat_texts(mistake))
    if mistake.entry.file:
        return _with(mistake.entry.at, after)
    found: set[int] = set()
    for kind, _, _, first, last in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            found |= set(range(first + 1, last + 1)) if last > first else {first, first + 1}
    return found | _with(mistake.entry.at, after)


def _with(texts: Sequence[str], lines: Sequence[str]) -> set[int]:
    return {number for number, line in enumerate(lines, 1) if any(text in line for text in texts)}


def is_inverse(was: str, now: str, before: str, after: str) -> bool:
    """Whether the change makes the original of the mistake, spaces and comments apart."""
    original, wrong = ("".join(COMMENT.sub("", text).split()) for text in (before, after))
    old, new = ("".join(text.split()) for text in (was, now))
    if not original or not (old or new):
        return False
    if not old:  # what was put in is what the mistake took out
        return len(wrong) + len(new) == len(original) and any(
            original[:at] + original[at + len(new) :] == wrong for at in _places(new, original)
        )
    return any(wrong[:at] + new + wrong[at + len(old) :] == original for at in _places(old, wrong))


def _places(part: str, whole: str) -> Iterator[int]:
    """Where it stands as words of its own: the 0 of 30 is none."""
    at = whole.find(part)
    while at >= 0:
        before, after = whole[at - 1 : at] + part[:1], part[-1:] + whole[at + len(part) : at + len(part) + 1]
        if not any(re.fullmatch(r"\w\w", both) for both in (before, after)):
            yield at
        at = whole.find(part, at + 1)


def row_of(mistake: Mistake) -> Row:
    experiments.SECONDS = SECONDS
    start = time.monotonic()
    request = replace(request_for(mistake), file=write_flat(mistake), causes=True, timed=False)
    with Watched() as watched:
        task = graded(ROOT, request).tasks[0]
    file, _, line = task.where.rpartition(":")
    cause, lines, texts = task.cause, lines_of(mistake), flat_texts(mistake)
    line_right = kind_right = None
    if lines and line.isdigit() and file == mistake.source.name:
        beside = BESIDE if cause and not cause.was and cause.now else 0
        line_right = any(abs(int(line) - one) <= beside for one in lines)
        if not cause or not (cause.was or cause.now):  # what was seen there, or CUDA refused there
            line_right = line_right or int(line) in {
                at.line for one in task.findings for at in (one.place, one.other_place)
            }
    seen = [task.kind, *(one.kind for one in task.findings)]
    told = next((kind for kind in seen if kind in mistake.entry.truth), "")
    if cause:
        if is_inverse(cause.was, cause.now, *texts):
            kind_right = line_right = True
        elif cause.kind in mistake.entry.truth:
            kind_right = True
        elif mistake.entry.truth and cause.kind not in OBSERVED:
            kind_right = False
    elif told or (mistake.entry.told and mistake.entry.told in task.reason):
        told, kind_right = told or "told", True
    return Row(
        mistake.title,
        int(mistake.lab.name[:2]),
        task.verdict,
        cause.kind if cause else told,
        task.where,
        line_right,
        kind_right,
        cause.was if cause else "",
        cause.now if cause else "",
        [f"{one.kind}:{one.place.line}" for one in task.findings],
        task.reason,
        len(task.details) + 1,
        round(time.monotonic() - start, 1),
        watched.told([one for one in watched.tried.changes if is_true(one, mistake, lines, texts)]),
    )


def is_true(change: Change, mistake: Mistake, lines: Collection[int], texts: tuple[str, str]) -> bool:
    """Whether a change makes the original, or is of a kind that is true of the mistake, in one of its lines."""
    if is_inverse(change.was, change.now, *texts):
        return True
    return change.line in lines and kind_of(change) in mistake.entry.truth


def rows(mistakes: Sequence[Mistake], jobs: int) -> Iterable[Row]:
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(row_of, mistakes)


def summary(found: Sequence[Row]) -> list[str]:
    """A line for each lab, and one for all."""
    heads = ("wrong", "named", "kind right", "line right", "false", "lines", "seconds")
    lines = ["lab  " + "".join(f"{head:>12}" for head in heads)]
    for lab in [*sorted({row.lab for row in found}), 0]:
        its = [row for row in found if lab in (0, row.lab)]
        named = [row for row in its if row.kind]
        kinds, places = sum(row.kind_right is True for row in named), sum(row.line_right is True for row in named)
        counts = len(its), len(named), kinds, places, sum(row.is_false for row in named)
        shown, seconds = (sum(each) / max(len(its), 1) for each in ([r.lines for r in its], [r.seconds for r in its]))
        lines.append(f"{lab or 'all':<5}" + "".join(f"{one:>12}" for one in counts) + f"{shown:>12.1f}{seconds:>12.1f}")
    return lines


def main(words: Sequence[str]) -> None:
    labs = [int(word) for word in words if word.isdigit()]
    names = [word for word in words if not word.isdigit() and word != "--why"]
    wrong = [
        one
        for number, folder in folders(ROOT).items()
        if not labs or number in labs
        for one in mistakes_of(folder)
        if one.entry.kind == "wrong" and all(name in one.title for name in names)
    ]
    found = []
    for row in rows(wrong, cpu_count() or 1):
        found.append(row)
        said = {True: "right", False: "WRONG", None: "-"}
        change = f"`{row.was[:50]}` -> `{row.now[:50]}`" if row.kind else row.reason[:90]
        judged = f"kind {said[row.kind_right]}, line {said[row.line_right]}" if row.kind else "not named"
        print(f"{row.title}: {row.verdict} {row.kind} {row.where} {judged} {change} {row.seconds} s", flush=True)
        if "--why" in words and not row.kind:
            print("\n".join(f"    {line}" for line in row.why), flush=True)
    print("\n".join(summary(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
