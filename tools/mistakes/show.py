"""./grader mistake LAB [NAME]: a lab's mistakes, or one of them with what the grader says about it."""

from __future__ import annotations

import difflib
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from autograder.errors import CompileError
from autograder.plan.manifest import load
from autograder.report import terminal
from autograder.report.fold import Line, fold
from autograder.report.result import compile_failure
from autograder.session import Progress, grade
from autograder.verdict import COLOURS as VERDICT_COLOURS
from mistakes.catalog import Mistake, mistakes_of
from mistakes.conformance import request_for, unexpected
from mistakes.generate import originals, texts

CONTEXT = 3  # lines around a change
COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def show_all(out: Console, lab: Path) -> None:
    """The mistakes that students make in a lab, by task: name, what they thought, verdict. Attacks are none."""
    found = [one for one in mistakes_of(lab) if not one.entry.root]
    number = int(lab.name[:2])
    out.print(f"[bold]Lab {number} · {escape(load(lab).title)}[/]: {len(found)} mistakes")
    for task, mistakes in groupby(found, lambda mistake: mistake.task):
        out.print(f"\n[bold]{escape(task)}[/]")
        of_task = list(mistakes)
        width = max(len(one.name) for one in of_task)
        for one in of_task:
            verdicts = (" or ".join(one.verdicts), VERDICT_COLOURS.get(one.verdicts[0], "red"))
            fold(out, Line(Text.assemble(one.entry.thought, " · ", verdicts), f"  {one.name:<{width}}  "))
    out.print(f"\n  one of them, graded: ./grader mistake {number} NAME")


def show_one(out: Console, mistake: Mistake, root: Path, device: str, progress: Progress) -> int:
    """The thought, the edit, and what the grader says. Exit status 1: that is not what the entry expects."""
    number = int(mistake.lab.name[:2])
    out.print(f"[bold]Lab {number} · {escape(mistake.task)} · {escape(mistake.name)}[/]")
    out.print(f"\n  “{escape(mistake.entry.thought)}”\n", soft_wrap=True)
    for line in diff(mistake):
        out.print(Text(f"  {line}", COLOURS.get(line[:1], "")), soft_wrap=True)
    out.print()
    request = request_for(mistake)
    request = replace(request, device=device or request.device)
    if request.file is not None and request.file.is_relative_to(Path.cwd()):
        request = replace(request, file=request.file.relative_to(Path.cwd()))  # short in the line `again:`
    command = request.command(number)
    try:
        result, manifest = grade(root, request, progress)
    except CompileError as error:
        result = compile_failure(request, error)
        terminal.show_compile_error(out, error, command, request.file)
    else:
        no_gpu = result.modelled and not device
        terminal.show(out, result, manifest, mistake.lab, root, command, no_gpu)
    told = unexpected(mistake, result)
    expected = f"{' or '.join(mistake.verdicts)}, with the words {mistake.entry.because!r}"
    out.print(f"\n  expected: {escape(expected)}: {'so it is' if not told else 'it is not'}", soft_wrap=True)
    return 1 if told else 0


def diff(mistake: Mistake) -> list[str]:
    """The edit as a unified diff of the solution's files; a file of its own as it is."""
    made = texts(mistake)
    if mistake.entry.file:
        return made[mistake.entry.file].splitlines()
    before = originals(mistake)
    found: list[str] = []
    for name, text in made.items():
        old, new = before[name].splitlines(), text.splitlines()
        found += difflib.unified_diff(old, new, name, name, n=CONTEXT, lineterm="")
    return found
