"""Hints by number: first a question, then a nudge, then nearly the answer; by default for the next task."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from autograder.errors import UsageError
from autograder.plan.manifest import Manifest
from autograder.plan.request import check_tasks


def show(out: Console, manifest: Manifest, upcoming: str, number: int, only: Sequence[str]) -> None:
    """Prints the hints 1 to `number` of the tasks asked for, or of the upcoming one: "" at full marks."""
    names = [entry.name for entry in manifest.task]
    check_tasks(manifest, only)
    if not only and not upcoming:
        example = f"./grader hint {manifest.number} --task {names[-1]}"
        raise UsageError(f"lab {manifest.number} has full marks, so no task is next; for a hint anyway: {example}")
    for name in only or [upcoming]:
        _task(out, manifest, name, number)
    if not only:
        out.print(f"  for another task: ./grader hint {manifest.number} --task NAME; tasks: {', '.join(names)}",
                  soft_wrap=True)  # fmt: skip


def _task(out: Console, manifest: Manifest, name: str, number: int) -> None:
    hints = [hint for hint in manifest.entry(name).hints if hint]
    if not 1 <= number <= len(hints):
        there = f"hints 1 to {len(hints)}" if hints else "no hints"
        raise UsageError(f"hint {number}: {name} has {there}")
    out.print(f"[bold]{escape(name)}[/]")
    for at, hint in enumerate(hints[:number], 1):
        out.print(f"  hint {at} of {len(hints)}: {escape(hint)}", soft_wrap=True)
    if number < len(hints):
        out.print(f"  more: ./grader hint {manifest.number} {number + 1} --task {name}")
