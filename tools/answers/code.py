"""The code of an exam task, made from a mistake: what the student sees, and the change that fixes it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from answers.calls import FigureError
from autograder.errors import UsageError
from mistakes.catalog import find_mistake
from mistakes.generate import originals, texts

MARK = re.compile(r"<!-- (?P<kind>code|mend): (?P<name>[a-z0-9_]+) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL)
# The comments of the solution say too much. Of them, only how a kernel is launched is kept.
LAUNCH = re.compile(r"^// Launch: (?!as )[^.]*\.")
NEAR = 3  # unchanged lines around a change that the answer shows


def block(lab: Path, kind: str, name: str) -> str:
    """The fenced block for a mark. FigureError: there is no such mistake, or its edit no longer fits."""
    try:
        mistake = find_mistake(lab, name)
        wrong = texts(mistake)
        right = originals(mistake) if not mistake.entry.file else wrong
    except UsageError as error:
        raise FigureError(str(error)) from None
    changed = [file for file in right if wrong.get(file) != right[file]]
    if not changed:
        raise FigureError(f"{name} is a file of its own, not a change of a task")
    lines: list[str] = []
    for file in changed:
        bad, good = without_comments(wrong[file]), without_comments(right[file])
        if kind == "code":
            lines += [f"// {file}", *touched(bad, good)]
        else:
            lines += change(bad, good)
    return "\n".join([f"```{'cuda' if kind == 'code' else 'diff'}", *lines, "```"]) + "\n"


def without_comments(text: str) -> list[str]:
    """The lines without what they say of the idea."""
    kept = []
    for line in text.splitlines():
        if launch := LAUNCH.match(line):
            kept.append(launch[0])
        elif not line.lstrip().startswith("//"):
            kept.append(re.sub(r"\s*//.*", "", line))
    return kept


def touched(bad: list[str], good: list[str]) -> list[str]:
    """The functions in which the two differ, as they are in the first."""
    codes = difflib.SequenceMatcher(None, bad, good, autojunk=False).get_opcodes()
    places = {line for kind, a, b, _, _ in codes if kind != "equal" for line in range(a, max(b, a + 1))}
    parts = [span for span in _parts(bad) if any(span[0] <= line < span[1] for line in places)]
    shown: list[str] = []
    for first, last in parts:
        while last > first and not bad[last - 1].strip():
            last -= 1
        shown += ["", *bad[first:last]]
    return shown[1:]


def _parts(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Functions, structs and the like: from a line at the margin after a blank one to before the next such line."""
    starts = [at for at, line in enumerate(lines) if line[:1].strip() and (at == 0 or not lines[at - 1].strip())]
    yield from zip(starts, [*starts[1:], len(lines)], strict=True)


def change(bad: list[str], good: list[str]) -> list[str]:
    """From the mistake to the solution."""
    lines = list(difflib.unified_diff(bad, good, n=NEAR, lineterm=""))[2:]
    shown = ["@@" if line.startswith("@@") else line.rstrip() for line in lines]
    while shown and not shown[-1]:
        shown.pop()
    return shown
