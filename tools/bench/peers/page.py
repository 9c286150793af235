"""python -m bench.peers.page: docs/performance.md, its figure, and the sentences in pages of costs and maps of ladders,
from docs/data/peers_h200.json, which python -m bench.peers has written as peers.json."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from bench.page_parts import with_part
from bench.peers.programs import PROGRAMS, ROOT, Row
from bench.peers.results import Results, size, summary
from figures.svg import Drawing

DATA = ROOT / "docs" / "data" / "peers_h200.json"
PAGE = ROOT / "docs" / "performance.md"
FIGURE = ROOT / "docs" / "figures" / "peers.svg"
MARK = "python -m bench.peers.page writes this"
TOLD = 1 << 24  # the size that a handout tells
LEFT, WIDTH, TOP, STEP = 330, 560, 76, 24
LOWEST, HIGHEST = 0.25, 4.0  # of the figure; what is beyond is drawn at its edge


def load(path: Path = DATA) -> Results:
    return msgspec.json.decode(path.read_bytes(), type=Results)


def groups(rows: Sequence[Row]) -> dict[tuple[str, str, str], list[Row]]:
    """The rows of each task and problem, by size."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row.of, row.what, row.task), []).append(row)
    return found


def table(rows: Sequence[Row]) -> str:
    """A row for each task and problem: ratios by size, and the share of a copy's speed at the largest."""
    sizes = sorted({row.n for row in rows if row.n & (row.n - 1) == 0})
    head = "".join(f" {size(n)} |" for n in sizes)
    lines = [f"| task | problem | the call |{head} of copy |", "|---|---|---|" + "--:|" * (len(sizes) + 1)]
    for (of, what, task), group in groups(rows).items():
        # A matrix has the size that it has: it goes where the next smaller power of two is.
        by_size = {1 << row.n.bit_length() - 1: row for row in group}
        cells = [f" {_ratio(by_size[n])} |" if n in by_size else " |" for n in sizes]
        call, of_copy = PROGRAMS[of].peer_of(task, what), group[-1].of_copy
        if group[-1].n not in sizes:
            what += f", {size(group[-1].n)}"
        lines.append(f"| `{task}` | {what} | `{call}` |{''.join(cells)} {of_copy:.2f} |")
    return "\n".join(lines)


def _ratio(row: Row) -> str:
    return f"{row.ratio:.2f}" if not row.wrong else "wrong"


def sentence(rows: Sequence[Row], lab: str) -> str:
    """How fast a lab's fastest task is beside the library's call."""
    parts = []
    for name, program in PROGRAMS.items():
        if program.lab != lab:
            continue
        mine = [row for row in rows if row.of == name and row.task not in program.earlier and row.n >= TOLD]
        for task, peer in dict.fromkeys((row.task, program.peer_of(row.task, row.what)) for row in mine):
            own = [row for row in mine if row.task == task and program.peer_of(task, row.what) == peer]
            ours = f"`{task}`"
            if program.record.is_file() and task == program.tasks[-1]:
                ours = f"the record of {ours}"
            by_problem = groups(own)
            ahead = [(what, group) for (_, what, _), group in by_problem.items() if max(_ratios(group)) >= 1]
            behind = [(what, group) for (_, what, _), group in by_problem.items() if max(_ratios(group)) < 1]
            if ahead:
                parts.append(_faster(ours, f"`{peer}`", [(what, _ratios(group)) for what, group in ahead]))
            if behind:
                told = [(what, [1 / r for r in _ratios(group)]) for what, group in behind]
                parts.append(_faster(f"`{peer}`", ours, told))
    if not parts:
        return ""
    later = "".join(f" {part[:1].upper()}{part[1:]}" for part in parts[1:])  # "The record of ..."
    whole = f"**Your rival.** On an H200, from 2^24 elements on, {parts[0]}{later}"
    whole += " [Performance](../../docs/performance.md) says how this was measured."
    return textwrap.fill(whole, 120, break_on_hyphens=False)


def _ratios(group: Sequence[Row]) -> list[float]:
    return [row.ratio for row in group]


def _faster(one: str, other: str, problems: Sequence[tuple[str, Sequence[float]]]) -> str:
    """How many times as fast one is as the other, for each problem."""
    told = [f"{_range(ratios)} times for {what}" for what, ratios in problems]
    told[0] = told[0].replace(" times ", f" times as fast as {other} ", 1)
    listed = " and ".join([", ".join(told[:-1]), told[-1]] if told[1:] else told)
    return f"{one} is {listed}."


def _range(ratios: Sequence[float]) -> str:
    low, high = (f"{edge(ratios):.2f}" for edge in (min, max))
    return low if low == high else f"{low} to {high}"


def figure(results: Results) -> Drawing:
    """A line for each task and problem, a dot for each size; the library's call is the line at 1."""
    found = groups(results.rows)
    height = TOP + STEP * len(found) + 50
    drawing = Drawing(
        LEFT + WIDTH + 40, height, "Fastest tasks beside library calls",
        f"{results.device}: the call's time divided by the task's, a dot for each size. {summary(results.rows)}",
    )  # fmt: skip
    drawing.text(20, 30, f"The library call's time divided by the task's, {results.device}", size=15)
    drawing.text(LEFT, 54, "slower than the library", kind="faint", size=12)
    drawing.text(LEFT + WIDTH, 54, "faster", kind="faint", size=12, anchor="end")
    bottom = TOP + STEP * len(found)
    for tick in (0.25, 0.5, 1.0, 2.0, 4.0):
        drawing.line([(_x(tick), TOP - 12), (_x(tick), bottom)], "active" if tick == 1 else "faint")
        drawing.text(_x(tick), bottom + 18, f"{tick:g}", size=12, anchor="middle", number=True)
    for at, ((_, what, task), group) in enumerate(found.items()):
        y = TOP + STEP * at + 8
        drawing.text(LEFT - 16, y + 4, f"{task}, {what}", size=12, anchor="end")
        drawing.line([(_x(min(row.ratio for row in group)), y), (_x(max(row.ratio for row in group)), y)], "faint")
        for row in group:
            drawing.dot(_x(row.ratio), y, _kind(row))
    drawing.note(bottom + 38, "Orange: 2^24 items and more. Grey: fewer, where launches take most of the time.")
    return drawing


def _x(ratio: float) -> float:
    inside = min(max(ratio, LOWEST), HIGHEST)
    return LEFT + WIDTH * math.log(inside / LOWEST) / math.log(HIGHEST / LOWEST)


def _kind(row: Row) -> str:
    return "done" if row.n >= TOLD else "faint"


def pages(results: Results) -> Iterator[tuple[Path, str]]:
    """Each page that shows these figures, with its new text."""
    heading = (
        f"{results.device}, driver {results.driver}, CUDA {results.cuda}, {results.date}. Of {results.runs} separate "
        f"runs, the worst ratio counts. {summary(results.rows)}"
    )
    others = [row for row in results.rows if row.of != "convolution"]
    heading += f" Without convolution, where cuDNN is far behind, {summary(others).partition(', ')[2]}"
    heading += f" Bandwidth: {results.libraries['bandwidth'].removeprefix(f'{results.device}, ')}."
    part = f"{textwrap.fill(heading, 120, break_on_hyphens=False)}\n\n{table(results.rows)}"
    yield PAGE, with_part(PAGE.read_text(), MARK, part)
    for lab in sorted({PROGRAMS[row.of].lab for row in results.rows}):  # the others were not measured on this device
        for path in (ROOT / "labs" / lab / "costs.md", ROOT / "solutions" / lab / "README.md"):
            yield path, with_part(path.read_text(), MARK, sentence(results.rows, lab))


def main() -> None:
    results = load()
    for path, text in pages(results):
        path.write_text(text)
    figure(results).write(FIGURE)


if __name__ == "__main__":
    main()
