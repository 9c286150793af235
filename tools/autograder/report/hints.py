"""Hints by number: first a question, then a nudge, then nearly the answer. For one task: the one to do next."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.markup import escape

from autograder.errors import UsageError
from autograder.plan.labs import suggest
from autograder.plan.manifest import Manifest, load

NEXT = Path("build") / "next.json"  # by lab, the task that the last run's last line named; "" at full marks


def show(out: Console, root: Path, folder: Path, number: int, only: Sequence[str]) -> None:
    """Prints the hints 1 to `number` of the tasks asked for, or of the one to do next."""
    manifest = load(folder)
    names = [entry.name for entry in manifest.task]
    for name in only:
        if name not in names:
            raise UsageError(f"lab {manifest.number} has no task {name!r}{suggest(name, names)}")
    chosen = list(only) or [_next_task(root, manifest)]
    for name in chosen:
        _task(out, manifest, name, number)
    if not only:
        out.print(f"  for another task: ./grader hint {manifest.number} --task NAME; tasks: {', '.join(names)}",
                  soft_wrap=True)  # fmt: skip


def remember(root: Path, lab: int, task: str) -> None:
    """Keeps which task is next, for `./grader hint`. Where build/ cannot be written, hints start at the first task."""
    with contextlib.suppress(OSError):
        (root / NEXT).write_bytes(msgspec.json.encode(_remembered(root) | {str(lab): task}))


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


def _next_task(root: Path, manifest: Manifest) -> str:
    names = [entry.name for entry in manifest.task]
    name = _remembered(root).get(str(manifest.number), names[0])
    if name == "":
        example = f"./grader hint {manifest.number} --task {names[-1]}"
        raise UsageError(f"lab {manifest.number} has full marks, so no task is next; for a hint anyway: {example}")
    return name if name in names else names[0]


def _remembered(root: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode((root / NEXT).read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError):
        return {}
