"""Hints by number: where a proved cause is, if there is one; a question, a nudge, nearly the answer; then the edit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from autograder.errors import UsageError
from autograder.plan.manifest import Manifest
from autograder.plan.request import check_tasks
from autograder.report.fold import Line, fold, source_line

Hint = Callable[[], Sequence[str]]  # the lines of a hint, made when it is shown: some take seconds


def show(
    out: Console,
    manifest: Manifest,
    upcoming: str,
    number: int,
    only: Sequence[str],
    last: Callable[[str], Sequence[Hint]] = lambda task: (),
) -> None:
    """Prints the hints 1 to `number` of the tasks asked for, or of the upcoming one: "" at full marks.

    `last`: further hints of a task: where a proved cause is, before those of lab.toml, and the edit behind them.
    """
    names = [entry.name for entry in manifest.task]
    check_tasks(manifest, only)
    if not only and not upcoming:
        example = f"./grader hint {manifest.number} --task {names[-1]}"
        raise UsageError(f"lab {manifest.number} has full marks, so no task is next; for a hint anyway: {example}")
    for name in only or [upcoming]:
        _task(out, manifest, name, number, last(name))
    if not only and number == 1:
        fold(out, f"for another task: ./grader hint {manifest.number} --task NAME; tasks: {', '.join(names)}")


def _task(out: Console, manifest: Manifest, name: str, number: int, last: Sequence[Hint]) -> None:
    general = [hint for hint in manifest.entry(name).hints if hint]
    of = len(general) + len(last)
    if not 1 <= number <= of:
        there = f"hints 1 to {of}" if of else "no hints"
        raise UsageError(f"hint {number}: {name} has {there}")
    fold(out, Line(Text(name, "bold"), ""))
    ordered: list[str | Hint] = [*last[:1], *general, *last[1:]]
    for at, hint in enumerate(ordered[:number], 1):
        _hint(out, hint, f"  hint {at} of {of}: ")
    if number < of:
        what = "  (what to write there)" if number == of - 1 and len(last) > 1 else ""
        fold(out, f"more: ./grader hint {manifest.number} {number + 1} --task {name}{what}")


def _hint(out: Console, hint: str | Hint, lead: str) -> None:
    if isinstance(hint, str):
        fold(out, Line(hint, lead, 4))
        return
    with out.status("trying it"):
        first, *more = hint()
    fold(out, Line(first, lead, 4))
    fold(out, *(source_line(line) if re.match("> +[0-9]", line) else Line(line, "    ") for line in more))
