"""What a person sees: the table, an explanation for each task that needs one, and what to do next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.build.builder import LOG
from autograder.build.compiler import told
from autograder.build.warnings import CompilerWarning, warning_lines
from autograder.errors import CompileError
from autograder.explain.started import todo_is_left
from autograder.plan.labs import compiled_only, folders
from autograder.plan.manifest import Manifest
from autograder.report.failure import lines_of
from autograder.report.fold import Line, fold, source_line
from autograder.report.fold import console as console  # for those who show more than a result
from autograder.report.result import Result, TaskResult
from autograder.report.table import rows, untimed
from autograder.sanitize import clean
from autograder.score import CORRECT_SHARE
from autograder.timing.measure import seconds
from autograder.verdict import MEANING

MOST_EXPLAINED = 4
BAR = 36


def show(
    out: Console,
    result: Result,
    manifest: Manifest,
    folder: Path,
    root: Path,
    command: str = "",
    no_gpu: bool = False,
    *,
    file: Path | None = None,
    verbose: bool = False,
) -> None:
    """The whole report of one lab. `command`: what graded it; `no_gpu`: the virtual GPU, because there is no other.

    `file`: the one that is graded, if it is another than the lab's; `verbose`: all that is known of a failure;
    """
    lab = result.lab
    command = command or f"./grader {lab.number}"
    model = "modelled time" if result.modelled else "measured time"
    source = {"lab": "", "solution": " (reference solution)"}.get(result.source, f" ({result.source})")
    device = result.device + (", no NVIDIA GPU found" if no_gpu else "")
    title = Text(f"Lab {lab.number} · {lab.title}", "bold").append(source, "not bold")
    fold(out, Line(title.append(f"    {device} · {model}", "not bold"), "", 4), "")
    show_warnings(out, result.warnings)
    for row in rows(result.tasks, result.points, result.of, out.width):
        out.print(row, soft_wrap=True)
    if any(untimed(task) for task in result.tasks):
        share = f"{100 * (1 - CORRECT_SHARE):.0f} % of a task's points are for its speed"
        fold(out, Line(f"not timed: {share} · to time it: {command}", style="dim"))
    elif any(task.verdict == "AC" and not task.time and manifest.entry(task.name).timed for task in result.tasks):
        fold(out, Line("not timed: the points for speed follow the evidence alone", style="dim"))
    if kept := [task for task in result.tasks if task.unchanged]:
        names = ", ".join(f"{task.name} (since {task.unchanged})" for task in kept)
        fold(out, Line(f"unchanged, not graded again: {names} · to grade all: {command} --all", style="dim"))
    out.print()
    explained = [task for task in result.tasks if task.verdict not in ("AC", "SKIP")]
    explained += [task for task in result.tasks if task.verdict == "AC" and task.reason]
    upcoming = next_task(result)
    for task in explained[:MOST_EXPLAINED]:
        show_task(out, task, manifest, task is upcoming, file or _file(result, folder), verbose, file is not None)
        out.print()
    right = [task for task in result.tasks if task.verdict == "AC" and not task.reason]
    fold(out, *(f"{task.name}: {line}" for task in right for line in task.details if line.startswith("note: ")))
    if len(explained) > MOST_EXPLAINED:
        names = ", ".join(task.name for task in explained[MOST_EXPLAINED:])
        fold(out, f"not shown: {names} ({command} --task NAME)", "")
    if result.full_marks:
        show_ladder(out, result)
    fold(out, *next_lines(result, manifest, folder, root, command))


def show_warnings(out: Console, warnings: Sequence[CompilerWarning]) -> None:
    """First of all, as they name a line where others have only symptoms."""
    if warnings:
        lines = warning_lines(warnings)
        fold(
            out,
            *(Line(line, style="yellow") if line.startswith("warning") else source_line(line) for line in lines),
            "",
        )


def _file(result: Result, folder: Path) -> Path | None:
    """The student's file, if it is the lab's."""
    return folder / result.lab.file if result.source == "lab" else None


def show_task(
    out: Console,
    task: TaskResult,
    manifest: Manifest,
    is_next: bool,
    file: Path | None,
    verbose: bool = False,
    other_file: bool = False,
) -> None:
    """Why a task has its verdict. `is_next`: it is the one to do next; `file`, `other_file`: see lines_of()."""
    fold(out, *lines_of(task, manifest.number, is_next, file, out.width, other_file))
    if verbose:
        fold(out, *(Line(line, style="dim") for line in everything(task)))


def everything(task: TaskResult) -> list[str]:
    """What the first screen leaves out."""
    printed = [f"printed: {line}" for line in task.printed.strip().splitlines()]
    return [*task.details, *printed, *([f"again: {task.again}"] if task.again else [])]


def _explain_command(command: str) -> str:
    return command.replace("./grader", "./grader explain", 1)


def show_ladder(out: Console, result: Result) -> None:
    """Each task's rate as a bar; the longest is the fastest."""
    rates = [(task.name, task.time) for task in result.tasks if task.time]
    if not rates:
        return
    top = max(max(t.bytes_per_second, t.bytes_per_second * t.seconds / t.reference_seconds) for _, t in rates)
    unit = "GB/s, modelled" if result.modelled else "GB/s"
    copy = next((time.copy_bandwidth for _, time in rates if time.copy_bandwidth), None)
    top = max(top, copy or 0.0)
    fold(out, f"the ladder, in required bytes per second ({unit}; the tick marks the reference)")
    width = max(18, *(len(name) for name, _ in rates))
    length_of = min(BAR, max(4, out.width - width - 25))  # rate and time take 20 characters, and spaces
    for name, time in rates:
        length = round(length_of * time.bytes_per_second / top)
        tick = round(length_of * time.bytes_per_second * time.seconds / time.reference_seconds / top)
        bar = ("█" * max(length, 1)).ljust(length_of + 1)
        at = max(tick - 1, 1)
        bar = bar[:at] + "│" + bar[at + 1 :]
        row = f"  {name:<{width}} {bar} {time.bytes_per_second / 1e9:8.1f}   {seconds(time.seconds)}"
        out.print(Text(row), soft_wrap=True)
    if copy:
        bar = ("░" * round(length_of * copy / top)).ljust(length_of + 1)
        out.print(Text(f"  {'a plain copy':<{width}} {bar} {copy / 1e9:8.1f}"), soft_wrap=True)
    out.print()


def next_task(result: Result) -> TaskResult | None:
    """The next task: the first that is begun and not right, else the first not begun, else the slowest.

    As next_name() of learn/state.py.
    """
    begun = [task for task in result.tasks if task.verdict not in ("AC", "SKIP") or todo_is_left(task)]
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
    readme = (folder / "README.md").relative_to(root)
    if task.verdict == "SKIP":
        place = task.where.replace(":", " line ")
        if todo_is_left(task):
            return [f"next: take todo() out of {task.name}, {place}; until then the task is not graded"]
        if any(one.verdict != "SKIP" for one in result.tasks):
            end = f"handout: {readme} · hints: ./grader hint {number}"
            return [*_taught_before(task, result, manifest), f"next: {task.name}, {place} · {end}"]
        file = (folder / result.lab.file).relative_to(root) if result.source == "lab" else result.lab.file
        return [
            f"start here: {task.name}, {file} line {task.where.rpartition(':')[2]}",
            f"handout: {readme} · ./grader watch {number} grades on every save",
        ]
    if task.verdict == "AC":
        ratio = task.time.ratio if task.time else 0.0
        how = f"{_explain_command(command)} --task {task.name}"
        if any(not one.met for one in task.evidence):
            return [f"next: {task.name} within the limits that {readme} names · {how}"]
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
        fold(out, f"solutions/{result.lab.folder}/README.md: the map of the ladder")
    else:
        fold(
            out,
            f"{result.points:g} of {result.of:g} points: you see the solution once you have full marks",
            f"next: ./grader {number} shows what is missing",
        )


def show_compile_error(out: Console, error: CompileError, command: str, source: Path | None = None) -> None:
    """CE: the first error explained, the compiler's own text searchable."""
    where = f"    {error.where}" if error.where else ""
    what = "does not compile" if error.text else "uses what the lab does not allow"
    fold(out, Line(Text.assemble(("CE", "bold red"), f"  {what}{where}"), ""), "")
    for line in told(error, command, source, f"build/{LOG}"):
        fold(out, source_line(line) if re.match("[> ] ", line) else Line(clean(line, 400)))
