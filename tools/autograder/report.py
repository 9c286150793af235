"""What a person sees: the table, an explanation for each task that needs one, and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograder.errors import CompileError
from autograder.explain import source_lines
from autograder.manifest import Manifest
from autograder.protocol import clean
from autograder.result import Result, TaskResult
from autograder.score import MEANING
from autograder.timing import seconds

ProgressCall = Callable[[str, float], None]

COLOURS = {"AC": "green", "SLOW": "yellow", "SKIP": "dim", "CHECK": "magenta", "IE": "bold red"}
MOST_EXPLAINED = 4
BAR = 36


def console(stderr: bool = False) -> Console:
    """For people: colours on a terminal only, never narrower than the table."""
    made = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not made.is_terminal:
        made = Console(stderr=stderr, highlight=False, width=120, color_system=None, force_terminal=False)
    return made


def show(out: Console, result: Result, manifest: Manifest, folder: Path, root: Path) -> None:
    """The whole report of one lab."""
    lab = result.lab
    model = "modelled time" if result.modelled else "measured time"
    source = {"lab": "", "solution": " (reference solution)"}.get(result.source, f" ({result.source})")
    out.print(f"[bold]Lab {lab.number} · {escape(lab.title)}[/]{escape(source)}    {escape(result.device)} · {model}")
    out.print()
    out.print(_table(result))
    out.print()
    explained = [task for task in result.tasks if task.verdict not in ("AC", "SKIP")]
    explained += [task for task in result.tasks if task.verdict == "AC" and task.reason]
    for task in explained[:MOST_EXPLAINED]:
        _explain(out, task, manifest, result)
        out.print()
    if len(explained) > MOST_EXPLAINED:
        names = ", ".join(task.name for task in explained[MOST_EXPLAINED:])
        out.print(f"  also to look at: {names} (./grader {lab.number} --task NAME)\n")
    if result.full_marks:
        _ladder(out, result)
    for line in _next(result, manifest, folder, root):
        out.print(f"  {escape(line)}", soft_wrap=True)


def _table(result: Result) -> Table:
    table = Table(box=None, padding=(0, 2), pad_edge=True, header_style="dim")
    for name in ("task", "output", "checks", "time, of reference"):
        table.add_column(name, no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("")
    for task in result.tasks:
        table.add_row(
            escape(task.name) + ("" if task.core else " [dim](bonus)[/]"),
            Text(_output(task), COLOURS.get(_output(task).split()[0], "red")),
            Text(_checks(task), "magenta" if task.clean is False else "green" if task.clean else "dim"),
            Text(_time(task), "yellow" if task.time and task.points < task.of else ""),
            f"{task.points:g} / {task.of:g}",
            Text(task.reason if task.verdict == "SKIP" else "", "dim"),
        )
    table.add_row("[bold]total[/]", "", "", "", f"[bold]{result.points:g} / {result.of:g}[/]", "")
    return table


def _output(task: TaskResult) -> str:
    right = f" {task.output.right}/{task.output.total}"
    if task.verdict in ("AC", "SLOW", "CHECK"):
        return "AC" + right
    return task.verdict + (right if task.output.total and task.verdict not in ("SKIP", "IE", "CE") else "")


def _checks(task: TaskResult) -> str:
    if task.verdict in ("AC", "SLOW", "CHECK") and task.clean is not None:
        return "clean" if task.clean else "CHECK"
    return "-"


def _time(task: TaskResult) -> str:
    if task.time is None:
        return "-"
    noisy = f" ({task.time.low:.2f} to {task.time.high:.2f})" if task.time.noisy else ""
    return f"{task.time.ratio:.2f}x{noisy}" + (" SLOW" if task.verdict == "SLOW" else "")


def _explain(out: Console, task: TaskResult, manifest: Manifest, result: Result) -> None:
    where = f"    [dim]{escape(task.where)}[/]" if task.where else ""
    note = "    [dim]smallest size that fails[/]" if task.verdict == "WA" and task.failure and task.failure.n else ""
    out.print(f"[bold]{escape(task.name)}[/]: {escape(task.reason)}{where}{note}", soft_wrap=True)
    if task.findings:
        for line in source_lines(task.findings[0]):
            out.print(f"  [dim]{escape(line)}[/]", soft_wrap=True)
    if task.failure and task.failure.elements:
        out.print(_elements(task))
    for line in task.details:
        out.print(f"  {escape(line)}", soft_wrap=True)
    hints = [hint for hint in manifest.entry(task.name).hints if hint]
    if task.hint:
        out.print(f"  hint: {escape(task.hint)}    [dim]./grader hint {result.lab.number}[/]", soft_wrap=True)
    elif hints and task.verdict in ("WA", "CHECK", "RTE", "TLE"):
        out.print(f"  hint 1 of {len(hints)}: {escape(hints[0])}    [dim]./grader hint {result.lab.number}[/]",
                  soft_wrap=True)  # fmt: skip
    if task.verdict == "SLOW" or (task.verdict == "AC" and task.pattern == "slow"):
        out.print(f"  ./grader explain {result.lab.number} shows every line with its counters", soft_wrap=True)
    if task.again:
        out.print(f"  again: {escape(task.again)}", soft_wrap=True)


def _elements(task: TaskResult) -> Table:
    assert task.failure is not None
    table = Table(box=None, padding=(0, 2), pad_edge=True, header_style="dim")
    for name in ("index", "expected", "got"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("written by")
    for element in task.failure.elements:
        table.add_row(f"{element.index:,}", element.expected, element.got, escape(element.owner))
    return table


def _ladder(out: Console, result: Result) -> None:
    """Each rung's rate as a bar; the longest is the fastest."""
    rates = [(task.name, task.time) for task in result.tasks if task.time]
    if not rates:
        return
    top = max(max(t.bytes_per_second, t.bytes_per_second * t.seconds / t.reference_seconds) for _, t in rates)
    unit = "GB/s, modelled" if result.modelled else "GB/s"
    copy = next((time.copy_bandwidth for _, time in rates if time.copy_bandwidth), None)
    top = max(top, copy or 0.0)
    out.print(f"  the ladder, in bytes that must move per second ({unit}; the tick is the reference)")
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


def _next(result: Result, manifest: Manifest, folder: Path, root: Path) -> list[str]:
    """The last lines: always the next thing to do."""
    number = result.lab.number
    faults = [task for task in result.tasks if task.verdict == "IE"]
    if faults:
        return [f"the grader's or the machine's fault, no points lost: {faults[0].name}: {faults[0].reason}"]
    if result.full_marks:
        lines = [entry.teaches for entry in manifest.task[-1:] if entry.teaches]
        lines += [manifest.next] if manifest.next else []
        return [*lines, f"full marks · ./grader solution {number} shows the reference solution, for comparison"]
    started = [task for task in result.tasks if task.verdict not in ("AC", "SKIP")]
    readme = (folder / "README.md").relative_to(root)
    if started:
        task = started[0]
        meaning = MEANING[task.verdict]
        return [f"next: {task.name} ({meaning})" + (f", {task.where}" if task.where else "")]
    skipped = [task for task in result.tasks if task.verdict == "SKIP"]
    if skipped:
        place = skipped[0].where.replace(":", " line ")
        word = "start with" if len(skipped) == len(result.tasks) else "next"
        return [f"{word}: {skipped[0].name}, {place} · handout: {readme} · hints: ./grader hint {number}"]
    slower = [task for task in result.tasks if task.points < task.of]
    if slower and slower[0].time:
        task = min(slower, key=lambda one: one.time.ratio if one.time else 9.0)
        ratio = task.time.ratio if task.time else 0.0
        return [f"next: make {task.name} faster, it is at {ratio:.2f}x of the reference · ./grader explain {number}"]
    return [f"right so far; the whole lab with times: ./grader {number}"]


def show_compile_error(out: Console, error: CompileError, command: str) -> None:
    """CE: the compiler's own text stays searchable."""
    where = f"    {error.where}" if error.where else ""
    out.print("[bold red]CE[/]  does not compile" + escape(where))
    out.print()
    for line in error.text.splitlines():
        out.print(f"  {escape(clean(line, 400))}", soft_wrap=True)
    out.print()
    first, *advice = str(error).splitlines()
    for line in advice:
        out.print(f"  {escape(line)}", soft_wrap=True)
    out.print(f"  next: {escape(error.where or 'the first error')}: {escape(first)} · then: {escape(command)}",
              soft_wrap=True)  # fmt: skip
