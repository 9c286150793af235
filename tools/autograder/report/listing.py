"""Source lines with what was seen and counted on them, as a profiler shows it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath

from rich.console import Console
from rich.markup import escape

from autograder.explain.findings import finding_title
from autograder.report.fold import INDENT, Line, fold, source_line
from autograder.report.result import Result, TaskResult
from autograder.run.protocol import Counters, Finding, KernelReport, texts_of
from autograder.sanitize import clean
from autograder.source import line_of, lines_of, same, text_of
from autograder.timing.measure import seconds
from autograder.timing.speed import by_name
from autograder.words import LIMITS, counted

WIDE = 110  # characters of a terminal in which counters stand before the source
HEAD = "   share  lanes   requests        sectors/ideal     wavefronts/ideal   line"
LEGEND = (
    "share: of warp instructions · lanes: active lanes of 32, on average; a jump counts those that take it",
    "requests: a warp's accesses to global memory",
    "sectors: of 32 bytes in global memory · wavefronts: passes through shared memory · actual / ideal: equal is best",
)


def source_lines(finding: Finding, around: int = 1) -> list[str]:
    """The lines of a finding, with so many lines around each."""
    place, other = finding.place, finding.other_place
    if not place.line:
        return []
    marked = {place.line} | ({other.line} if other.line and other.file == place.file else set())
    text = read_source(place.file, {place.line: place.text})
    if not text:
        return [f"> {place.line:5}  {clean(place.text, 160)}"] if place.text else []
    return _around(text, marked, around)


def _around(text: list[str], marked: set[int], around: int) -> list[str]:
    shown = sorted({n for at in marked for n in range(at - around, at + around + 1) if 1 <= n <= len(text)})
    lines = []
    for before, number in zip([*shown[:1], *shown], shown, strict=False):
        if around and number > before + 1:
            lines.append("        …")
        lines.append(f"{'>' if number in marked else ' '} {number:5}  {line_of(text, number)}")
    return lines


def lines_at(file: Path | None, where: str) -> list[str]:
    """The line that `where`, "scan.cu:24", names in this file."""
    name, _, number = where.rpartition(":")
    if file is None or name != file.name or not re.fullmatch("[0-9]{1,9}", number):
        return []
    return _around(lines_of(text_of(file)), {int(number)}, 0)


def read_source(file: str, known: Mapping[int, str]) -> list[str]:
    """All lines of a file, if the device process has read the same lines in it; otherwise [].

    `#line` can name any file, and the device process sees only those that a student may read.
    """
    lines = lines_of(text_of(Path(file)))
    return lines if any(known.values()) and all(same(lines, at, text) for at, text in known.items()) else []


def show(out: Console, result: Result, only: Sequence[str]) -> None:
    """Every task that was measured, line by line."""
    own = result.lab.file if result.source in ("lab", "solution") else PurePath(result.source).name
    show_tasks(out, [task for task in result.tasks if not only or task.name in only], own)


def show_tasks(out: Console, tasks: Sequence[TaskResult], own: str) -> None:
    """`own`: the name of the student's file."""
    shown = [task for task in tasks if task.kernels or task.findings or task.notes]
    for task in shown:
        _task(out, task, own)
    if shown:
        fold(out, *(Line(line, style="dim") for line in LEGEND))
    uncounted = [task for task in tasks if not task.kernels and task.verdict != "SKIP"]
    if uncounted:
        names = ", ".join(task.name for task in uncounted)
        what = "the timed call is counted, and it is made only if the output is right"
        fold(out, Line(f"no counters of {names}: {what}; of any other call: explain with --n 1000", ""))
    elif not shown:
        fold(out, Line("no counters: no task is started", ""))


def _task(out: Console, task: TaskResult, own: str) -> None:
    out.print(f"[bold]{escape(task.name)}[/]  {task.verdict}{escape(call_text(task))}")
    for name, kernels in by_name(task.kernels).items():
        first = kernels[0]
        whole = sum(kernel.seconds for kernel in kernels)
        shape = f"{first.blocks:,} x {first.block_threads:,} threads"
        count = sum(kernel.launches for kernel in kernels)
        times = f"{count:,} launches, " if count > 1 else ""
        limit = f" · limited by {LIMITS.get(first.limited_by, first.limited_by)}" if first.limited_by else ""
        registers = f" · {first.registers} registers" if first.registers else ""
        fold(out, Line(f"{name}  {times}{shape} · {seconds(whole)}{limit}{registers}", INDENT, 4))
    totals = line_totals(task.kernels)
    places = [line.place for kernel in task.kernels for line in kernel.lines]
    known = texts_of([*places, *(finding.place for finding in [*task.findings, *task.notes])])
    marks: dict[tuple[str, int], list[str]] = defaultdict(list)
    for finding in [*task.findings, *task.notes]:
        if finding.place.line:
            marks[(finding.place.file, finding.place.line)].append(("note: " if finding.is_note else "")
                                                                   + finding_title(finding))  # fmt: skip
    if not totals and not marks:
        return
    all_instructions = sum(counters.instructions for counters in totals.values()) or 1
    wide = out.width >= WIDE
    if wide:
        out.print(f"[dim]{HEAD}[/]", soft_wrap=True)
    files = in_order({file for file, _ in [*totals, *marks]}, own)
    for file in files:
        text = read_source(file, known.get(file, {}))
        numbers = sorted({line for at, line in [*totals, *marks] if at == file and line})
        if not numbers:
            continue
        if len(files) > 1 or PurePath(file).name != own:
            out.print(f"  [dim]{escape(PurePath(file).name)}[/]")
        previous = numbers[0]
        for number in numbers:
            if number > previous + 1:
                out.print(f"[dim]{'':{70 if wide else 4}}…[/]", soft_wrap=True)
            previous = number
            line = totals.get((file, number), Counters())
            source = line_of(text, number, 140)
            below = f"{'':{70 if wide else 7}}^ "
            if wide:
                lead = f"{gutter(line, all_instructions)} {number:5}  "
                indent = len(source) - len(source.lstrip())
                fold(out, Line(source.strip(), lead + " " * indent, len(lead) + indent + 4))
            else:
                fold(out, source_line(f"  {number:5}  {source}"))
                counts = in_words(line, all_instructions)
                fold(out, *([Line(counts, below, style="dim")] if counts else []))
            fold(out, *(Line(remark, below, style="dim") for remark in remarks(line)))
            fold(out, *(Line(mark, below, style="magenta") for mark in marks.get((file, number), [])))
    if totals:
        _total(out, added_up(totals.values()), all_instructions, wide)
    out.print()


def _total(out: Console, total: Counters, all_instructions: int, wide: bool) -> None:
    if wide:
        fold(out, Line("total", f"{gutter(total, all_instructions)}        ", 4, style="bold"))
    else:
        fold(out, Line(f"total: {in_words(total, all_instructions)}", "  ", style="bold"))
    fold(out, *(Line(remark, "  ", style="bold") for remark in remarks(total)))
    fold(out, Line(f"{counted(total.instructions, 'instruction')} of warps", "  ", style="bold"))


def call_text(task: TaskResult) -> str:
    """What was called: the size and the variant."""
    call = task.time or task.failure
    if call is None:
        variant = f", {task.counted_variant}" if task.counted_variant else ""
        return f" · n = {task.counted_n:,}{variant}" if task.counted_n else ""
    return f" · n = {call.n:,}" + (f", {call.variant}" if call.variant else "")


def in_order(files: set[str], own: str) -> list[str]:
    """The student's own file first, then those that it uses."""
    return sorted(files, key=lambda file: (PurePath(file).name != own, PurePath(file).suffix == ".h", file))


def gutter(c: Counters, all_instructions: int) -> str:
    """Share of instructions, active lanes, requests, sectors and wavefronts, with their ideal numbers."""
    share = f"{100 * c.instructions / all_instructions:5.1f} %" if c.instructions else ""
    lanes = f"{c.lanes / c.instructions:4.1f}" if c.instructions else ""
    sectors = c.load_sectors + c.store_sectors
    ideal = min(sectors, c.ideal_load_sectors + c.ideal_store_sectors)  # fewer, where lanes read the same
    requests = f"{c.global_loads + c.global_stores:,}" if sectors else ""
    memory = f"{sectors:,}/{ideal:,}" if sectors else ""
    shared = f"{c.shared_wavefronts:,}/{c.ideal_wavefronts:,}" if c.shared_wavefronts else ""
    return f"{share:>8} {lanes:>6} {requests:>10} {memory:>20} {shared:>20}"


def in_words(c: Counters, all_instructions: int) -> str:
    """The same on a line of its own, for a narrow terminal."""
    if not c.instructions:
        return ""
    sectors = c.load_sectors + c.store_sectors
    ideal = min(sectors, c.ideal_load_sectors + c.ideal_store_sectors)
    parts = [f"share {100 * c.instructions / all_instructions:.1f} %", f"lanes {c.lanes / c.instructions:.1f}"]
    if sectors:
        parts += [f"requests {c.global_loads + c.global_stores:,}", f"sectors {sectors:,}/{ideal:,}"]
    if c.shared_wavefronts:
        parts.append(f"wavefronts {c.shared_wavefronts:,}/{c.ideal_wavefronts:,}")
    return " · ".join(parts)


def remarks(c: Counters) -> list[str]:
    """What only a few lines have: atomics and local memory."""
    found = []
    if c.atomics:
        lanes = "lane" if c.most_lanes_on_one_address == 1 else "lanes"
        found.append(
            f"{c.atomic_lanes:,} atomics, up to {c.most_lanes_on_one_address} {lanes} of a warp at one address"
        )
    if c.local_sectors:
        found.append(f"{c.local_sectors:,} sectors of local memory")
    return found


def line_totals(kernels: Sequence[KernelReport]) -> dict[tuple[str, int], Counters]:
    """Counters added up over all launches of a task."""
    totals: dict[tuple[str, int], Counters] = {}
    for kernel in kernels:
        for line in kernel.lines:
            at = (line.place.file, line.place.line)
            totals[at] = _added(totals.get(at, Counters()), line.counters)
    return totals


def added_up(every: Iterable[Counters]) -> Counters:
    total = Counters()
    for one in every:
        total = _added(total, one)
    return total


def _added(a: Counters, b: Counters) -> Counters:
    sums = {name: getattr(a, name) + getattr(b, name) for name in Counters.__struct_fields__}
    most = max(a.most_lanes_on_one_address, b.most_lanes_on_one_address)
    return Counters(**sums | {"most_lanes_on_one_address": most})
