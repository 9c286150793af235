"""What the site adds to a lab's handout: the picture it opens with, its facts, and its ladder's figures."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from autograder.plan.manifest import Manifest, load
from autograder.timing.measure import seconds
from bench.ladder import Row
from bench.page import MEASURED_ON, NOTES, usual

# The picture that shows best what a lab is about; elsewhere it is the handout's first. One that comes later is better:
# where the introduction has no picture, the first is met again on the next screen.
OPENING = {
    1: "grid",
    2: "warp_shuffle",
    3: "blelloch",
    5: "merge_path",
    6: "equalise",
    7: "merge_path",
    8: "bitonic_of_eight",
    9: "merge_path",
    10: "passes",
    11: "tile",
    12: "sample",
}
LADDER = "The ladder in figures"


def opening(lab: int, pictures: Sequence[str]) -> str | None:
    """Which of a handout's pictures is at its top."""
    chosen = [picture for picture in pictures if Path(picture).stem == OPENING.get(lab)]
    return next(iter([*chosen, *pictures]), None)


def manifest_of(root: Path, lab: int) -> Manifest:
    return load(next((root / "labs").glob(f"{lab:02}-*")))


def facts(manifest: Manifest, solution: str, course: str, report: str | None) -> str:
    """One line of facts. The arguments but the first are addresses."""
    core = [task for task in manifest.task if task.core]
    bonus = [task for task in manifest.task if not task.core]
    parts = [f"<b>{len(core)}</b> core tasks, {sum(task.points for task in core):g} points"]
    if bonus:
        parts.append(f"<b>{len(bonus)}</b> bonus, {sum(task.points for task in bonus):g} points")
    if manifest.hours:
        hours = " to ".join(dict.fromkeys(f"{value:g}" for value in manifest.hours))
        parts.append(f'<a href="{course}">{hours} hours</a>')
    parts.append('<a href="#the-ladder-in-figures">the ladder in figures</a>')
    if solution:
        parts.append(f'<a href="{solution}">reference solution</a>')
    if report:
        parts.append(f'<a href="{report}">its report</a>')
    return '<p class="facts">' + "".join(f"<span>{part}</span>" for part in parts) + "</p>"


def ladder(manifest: Manifest, rows: Sequence[Row], times: str) -> str:
    """The tasks with their points, and the reference solution's times. `times` is the address of all times."""
    mine = usual([row for row in rows if row.lab == manifest.number])
    sizes = sorted({row.n for row in mine})
    place = {(row.task, row.n): row for row in mine}
    head = "".join(f'<th class="right">n = 2<sup>{n.bit_length() - 1}</sup></th>' for n in sizes)
    body = "".join(task_row(task.name, task.points, task.core, sizes, place) for task in manifest.task)
    table = (
        '<div class="table-wrapper"><table class="ladder"><thead><tr><th>task</th><th class="right">points</th>'
        f"<th>of copy</th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
    if not mine:
        return table
    how = (
        f"<p>Times of the reference solution on an {escape(mine[0].device)}, measured on {MEASURED_ON}. The bars show "
        "the largest size of each task: the rate of the bytes that it must move, relative to a large copy. "
        f'<a href="{times}">How this was measured</a>.</p>'
    )
    note = NOTES.get(manifest.number, "")
    return f"{how}{table}<p>{code(escape(note))}</p>"


def task_row(name: str, points: float, core: bool, sizes: Sequence[int], place: dict[tuple[str, int], Row]) -> str:
    rows = [place.get((name, n)) for n in sizes]
    cells = "".join(f'<td class="right">{escape(seconds(row.seconds)) if row else "–"}</td>' for row in rows)
    measured = [row for row in rows if row]
    share = percent(measured[-1].of_copy) if measured else ""
    width = min(1.0, measured[-1].of_copy) * 100 if measured else 0
    bar = f'<span class="bar"><span style="width:{width:.1f}%"></span></span> {share}' if measured else "–"
    worth = f"{points:g}" if core else f"{points:g}, bonus"
    return (
        f'<tr><td><code class="literal">{escape(name)}</code></td><td class="right">{worth}</td>'
        f'<td class="share">{bar}</td>{cells}</tr>'
    )


def percent(share: float) -> str:
    """With a digit that is not 0: some tasks reach a thousandth of a copy's rate."""
    digits = 0 if share >= 0.01 else min(6, max(1, -math.floor(math.log10(share * 100)))) if share > 0 else 0
    return f"{share:.{digits}%}"


def code(text: str) -> str:
    """Escaped text with `names` as HTML."""
    return re.sub(r"`([^`]*)`", r'<code class="literal">\1</code>', text)
