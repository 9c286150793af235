"""What a person sees: the table, an explanation for each task that needs one, and what to do next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.build.builder import LOG
from autograder.build.compiler import told
from autograder.build.warnings import CompilerWarning, warning_lines
from autograder.errors import CompileError
from autograder.explain.explanation import WrongElement
from autograder.plain import clean
from autograder.plan.labs import compiled_only, folders
from autograder.plan.manifest import Manifest
from autograder.report.listing import lines_at, source_lines
from autograder.report.result import Result, TaskResult
from autograder.report.table import fitting, untimed
from autograder.score import CORRECT_SHARE
from autograder.timing.measure import seconds
from autograder.verdict import MEANING

MOST_EXPLAINED = 4
BAR = 36
PIPED = 160  # characters in a line if there is no terminal


def console(stderr: bool = False) -> Console:
    """The console for people: in colour only on a terminal, never narrower than the table."""
    made = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not made.is_terminal:
        made = Console(stderr=stderr, highlight=False, width=PIPED, color_system=None, force_terminal=False)
    return made


def show(
    out: Console, result: Result, manifest: Manifest, folder: Path, root: Path, command: str = "", no_gpu: bool = False
) -> None:
    """The whole report of one lab. `command`: what graded it; `no_gpu`: the virtual GPU, because there is no other."""
    lab = result.lab
    command = command or f"./grader {lab.number}"
    model = "modelled time" if result.modelled else "measured time"
    source = {"lab": "", "solution": " (reference solution)"}.get(result.source, f" ({result.source})")
    device = escape(result.device) + (", no NVIDIA GPU found" if no_gpu else "")
    out.print(f"[bold]Lab {lab.number} · {escape(lab.title)}[/]{escape(source)}    {device} · {model}", soft_wrap=True)
    out.print()
    show_warnings(out, result.warnings)
    out.print(fitting(out, result))
    if any(untimed(task) for task in result.tasks):
        out.print(
            f"  [dim]not timed: {100 * (1 - CORRECT_SHARE):.0f} % of a task's points are for its speed · to time it: "
            f"{escape(command)}[/]",
            soft_wrap=True,
        )
    out.print()
    explained = [task for task in result.tasks if task.verdict not in ("AC", "SKIP")]
    explained += [task for task in result.tasks if task.verdict == "AC" and task.reason]
    upcoming = next_task(result)
    for task in explained[:MOST_EXPLAINED]:
        show_task(out, task, manifest, command, task is upcoming, _file(result, folder))
        out.print()
    if len(explained) > MOST_EXPLAINED:
        names = ", ".join(task.name for task in explained[MOST_EXPLAINED:])
        out.print(f"  not shown: {names} ({command} --task NAME)\n")
    if result.full_marks:
        show_ladder(out, result)
    for line in next_lines(result, manifest, folder, root, command):
        out.print(f"  {escape(line)}", soft_wrap=True)


def show_warnings(out: Console, warnings: Sequence[CompilerWarning]) -> None:
    """First of all, as they name a line where others have only symptoms."""
    for line in warning_lines(warnings):
        out.print(f"  {'[yellow]' if line.startswith('warning') else '[dim]'}{escape(line)}[/]", soft_wrap=True)
    if warnings:
        out.print()


def _file(result: Result, folder: Path) -> Path | None:
    """The student's file, if it is the lab's."""
    return folder / result.lab.file if result.source == "lab" else None


def show_task(
    out: Console, task: TaskResult, manifest: Manifest, command: str, is_next: bool, file: Path | None
) -> None:
    """Why a task has its verdict. `is_next`: it is the one to do next; `file`: where `task.where` is looked up."""
    where = f"    [dim]{escape(task.where)}[/]" if task.where and not task.mistakes else ""
    out.print(f"[bold]{escape(task.name)}[/]: {escape(task.reason)}{where}{_smallest(task)}", soft_wrap=True)
    elements = _elements(task.failure.elements, task.failure.output) if task.failure and task.failure.elements else None
    if elements and task.findings:
        out.print(elements)  # first, so that a finding's source line and what was seen there stay together
    if not task.mistakes:
        seen = task.findings and not task.cause
        lines = source_lines(task.findings[0]) if seen else lines_at(file, task.where)
        for line in lines:
            out.print(f"  [dim]{escape(line)}[/]", soft_wrap=True)
    if elements and not task.findings:
        out.print(elements)
    more = f"./grader hint {manifest.number}" + ("" if is_next else f" --task {task.name}")
    if task.mistakes:
        out.print(
            "  two things are wrong, perhaps because of one mistake; fix the first, then grade again:", soft_wrap=True
        )
    for number, mistake in enumerate(task.mistakes, 1):
        place = f"    [dim]{escape(mistake.where)}[/]" if mistake.where else ""
        out.print(f"  {number}. {escape(mistake.reason)}{place}", soft_wrap=True)
        for line in source_lines(mistake.finding) if mistake.finding else []:
            out.print(f"     [dim]{escape(line)}[/]", soft_wrap=True)
        for line in mistake.details:
            out.print(f"     {escape(line)}", soft_wrap=True)
        if mistake.hint:
            out.print(f"     hint: {escape(mistake.hint)}", soft_wrap=True)
    for line in task.details:
        out.print(f"  {escape(line)}", soft_wrap=True)
    hints = [hint for hint in manifest.entry(task.name).hints if hint]
    if task.mistakes:
        out.print(f"  hints for the task: {more}")
    elif task.hint:
        out.print(f"  hint: {escape(task.hint)}    [dim]{more}[/]", soft_wrap=True)
    elif hints and task.verdict == "WA" and not task.findings and not task.cause:
        out.print(f"  hint 1 of {len(hints)}: {escape(hints[0])}    [dim]{more}[/]", soft_wrap=True)
    if task.verdict == "SLOW" or (task.verdict == "AC" and task.reason):
        how = f"{_explain_command(command)} --task {task.name}"
        out.print(f"  {how} shows every line with its counters", soft_wrap=True)
    if task.again:
        out.print(f"  again: {escape(task.again)}", soft_wrap=True)


def _smallest(task: TaskResult) -> str:
    onwards = task.verdict == "WA" and task.failure is not None and task.failure.n and " on" in task.reason
    return "    [dim]the smallest failing size of those tried[/]" if onwards else ""


def _explain_command(command: str) -> str:
    return command.replace("./grader", "./grader explain", 1)


def _elements(elements: Sequence[WrongElement], output: str) -> Table:
    table = Table(box=None, padding=(0, 2), pad_edge=True, header_style="dim")
    for name in (f"{output} at" if output else "index", "expected", "got"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("written by" if any(element.owner for element in elements) else "")
    for element in elements:
        table.add_row(f"{element.index:,}", element.expected, element.got, escape(element.owner))
    return table


def show_ladder(out: Console, result: Result) -> None:
    """Each rung's rate as a bar; the longest is the fastest."""
    rates = [(task.name, task.time) for task in result.tasks if task.time]
    if not rates:
        return
    top = max(max(t.bytes_per_second, t.bytes_per_second * t.seconds / t.reference_seconds) for _, t in rates)
    unit = "GB/s, modelled" if result.modelled else "GB/s"
    copy = next((time.copy_bandwidth for _, time in rates if time.copy_bandwidth), None)
    top = max(top, copy or 0.0)
    out.print(f"  the ladder, in required bytes per second ({unit}; the tick marks the reference)")
    width = max(18, *(len(name) for name, _ in rates))
    for name, time in rates:
        length = round(BAR * time.bytes_per_second / top)
        tick = round(BAR * time.bytes_per_second * time.seconds / time.reference_seconds / top)
        bar = "█" * max(length, 1)
        bar = bar.ljust(BAR + 1)
        at = max(tick - 1, 1)
        bar = bar[:at] + "│" + bar[at + 1 :]
        out.print(f"  {escape(name):<{width}} {bar} {time.bytes_per_second / 1e9:8.1f}   {seconds(time.seconds)}")
    if copy:
        out.print(f"  {'a plain copy':<{width}} {('░' * round(BAR * copy / top)).ljust(BAR + 1)} {copy / 1e9:8.1f}")
    out.print()


def next_task(result: Result) -> TaskResult | None:
    """The next task: the first that is begun and not right, else the first not begun, else the slowest.

    As next_name() of learn/state.py.
    """
    begun = [task for task in result.tasks if task.verdict not in ("AC", "SKIP")]
    skipped = [task for task in result.tasks if task.verdict == "SKIP"]
    slower = [task for task in result.tasks if task.time and task.points < task.of]
    slowest = sorted(slower, key=lambda task: task.points / task.of)
    return next(iter([*begun, *skipped, *slowest]), None)


def _taught_before(task: TaskResult, result: Result, manifest: Manifest) -> list[str]:
    """What the task before it teaches, if that is done; the sentence leads on to this task."""
    at = result.tasks.index(task)
    if at == 0 or result.tasks[at - 1].verdict != "AC":
        return []
    return [text for text in (manifest.entry(result.tasks[at - 1].name).teaches,) if text]


def next_lines(result: Result, manifest: Manifest, folder: Path, root: Path, command: str) -> list[str]:
    """The last lines: always the next thing to do."""
    number = result.lab.number
    faults = [task for task in result.tasks if task.verdict == "IE"]
    if faults:
        return [f"the grader's or the machine's fault, no points lost: {faults[0].name}: {faults[0].reason}"]
    if result.full_marks:
        lines = [entry.teaches for entry in manifest.task[-1:] if entry.teaches]
        lines += [manifest.next] if _is_there(manifest.next, root) else []
        shown = result.source == "lab" and not compiled_only(root, folder.name)
        end = f" · ./grader solution {number} shows the reference solution, for comparison" if shown else ""
        return [*lines, f"full marks{end}"]
    task = next_task(result)
    if task is None:
        return [f"right so far · to grade the whole lab, with times: {command}"]
    if task.verdict == "SKIP":
        place = task.where.replace(":", " line ")
        word = "start with" if all(one.verdict == "SKIP" for one in result.tasks) else "next"
        readme = (folder / "README.md").relative_to(root)
        return [
            *_taught_before(task, result, manifest),
            f"{word}: {task.name}, {place} · handout: {readme} · hints: ./grader hint {number}",
        ]
    if task.verdict == "AC":
        ratio = task.time.ratio if task.time else 0.0
        how = f"{_explain_command(command)} --task {task.name}"
        if any(not one.met for one in task.evidence):
            readme = (folder / "README.md").relative_to(root)
            return [f"next: do {task.name} as its handout asks: {readme} names its evidence · {how}"]
        return [f"next: make {task.name} faster; it runs at {ratio:.2f}x the reference's speed · {how}"]
    return [f"next: {task.name} ({MEANING[task.verdict]})" + (f", {task.where}" if task.where else "")]


def _is_there(text: str, root: Path) -> bool:
    """Whether the lab that a sentence is about is in this tree."""
    named = re.search(r"[Ll]ab (\d+)", text)
    return bool(text) and (named is None or int(named[1]) in folders(root))


def show_solution(out: Console, result: Result) -> None:
    """Where the reference solution is, once the lab has full marks."""
    number = result.lab.number
    if result.full_marks:
        out.print(f"  solutions/{result.lab.folder}/README.md: the map of the ladder")
    else:
        out.print(f"  {result.points:g} of {result.of:g} points: you see the solution once you have full marks")
        out.print(f"  next: ./grader {number} shows what is missing")


def show_compile_error(out: Console, error: CompileError, command: str, source: Path | None = None) -> None:
    """CE: the first error explained, the compiler's own text searchable."""
    where = f"    {error.where}" if error.where else ""
    what = "does not compile" if error.text else "uses what the lab does not allow"
    out.print(f"[bold red]CE[/]  {what}" + escape(where))
    out.print()
    for line in told(error, command, source, f"build/{LOG}"):
        out.print(f"  {escape(clean(line, 400))}" if line else "", soft_wrap=True)
