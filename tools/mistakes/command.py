"""What ./grader mistake does with its arguments."""

from __future__ import annotations

from pathlib import Path

from autograder.errors import UsageError
from autograder.report import terminal
from autograder.session import Progress
from mistakes.catalog import find_mistake
from mistakes.renew import add, renew
from mistakes.show import show_all, show_one


def change(lab: Path, name: str | None, new: bool, tasks: list[str], source: Path | None) -> None:
    """--renew and --new."""
    out = terminal.console()
    if name is None:
        raise UsageError("which mistake? ./grader mistake LAB NAME")
    if not new:
        mistake = find_mistake(lab, name)
        out.print(renew(mistake, source), markup=False, end="")
        out.print(f"  written to {mistake.path.relative_to(lab.parents[1])} · next: {mistake.command}", soft_wrap=True)
        return
    if len(tasks) != 1 or source is None:
        raise UsageError(f"--new needs the task and the file: --new --task TASK --from {name}.cu")
    mistake = add(lab, name, tasks[0], source)
    path = mistake.path.relative_to(lab.parents[1])
    out.print(f"  added to {path}: fill in verdict, because and thought", soft_wrap=True)
    out.print(f"  next: {mistake.command}", soft_wrap=True)


def show(root: Path, lab: Path, name: str | None, device: str, progress: Progress) -> int:
    """The list, or one mistake, graded. Returns the exit status."""
    if name is None:
        show_all(terminal.console(), lab)
        return 0
    return show_one(terminal.console(), find_mistake(lab, name), root, device, progress)
