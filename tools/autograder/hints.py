"""Hints by number: first a question, then a nudge, then nearly the answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from autograder.errors import UsageError
from autograder.manifest import load, suggest


def show(out: Console, folder: Path, number: int, only: Sequence[str]) -> None:
    """Prints the hints 1 to `number` of the tasks asked for."""
    manifest = load(folder / "lab.toml")
    names = [entry.name for entry in manifest.task]
    for name in only:
        if name not in names:
            raise UsageError(f"lab {manifest.number} has no task {name!r}{suggest(name, names)}")
    for entry in manifest.task:
        if only and entry.name not in only:
            continue
        hints = [hint for hint in entry.hints if hint]
        out.print(f"[bold]{escape(entry.name)}[/]" + ("" if hints else "  no hints"))
        for at, hint in enumerate(hints[:number], 1):
            out.print(f"  {at} of {len(hints)}: {escape(hint)}", soft_wrap=True)
    if number < 3:
        out.print(f"  more: ./grader hint {manifest.number} {number + 1}")
