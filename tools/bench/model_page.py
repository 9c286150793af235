"""Writes the tables of docs/measured/model-h200.md: the modelled time of every task beside an H200's."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from autograder.timing.measure import seconds
from bench.model import ROOT, Row, pairs, tau, tau_within_labs
from bench.page_parts import table, write_part

PAGE = ROOT / "docs/measured/model-h200.md"
PARTS = {"all": range(1, 99), "odd": range(1, 13, 2), "even": range(2, 13, 2), "even but 6": (2, 4, 8, 10, 12)}
HEAD = "+n | labs | +pairs | +Kendall's tau | +tau within labs | +median of modelled / measured | +from 0.5 to 2"


def agreement(rows: Sequence[Row]) -> str:
    """How well the order of modelled times is that of measured ones."""
    lines = []
    for n in sorted({row.n for row in rows}):
        for name, labs in PARTS.items():
            if part := [row for row in rows if row.n == n and row.lab in labs]:
                ratios = [row.ratio for row in part]
                near = f"{sum(0.5 <= ratio <= 2 for ratio in ratios)} of {len(ratios)}"
                taus = f"{tau(part):.3f}", f"{tau_within_labs(part):.3f}"
                median = f"{statistics.median(ratios):.2f}"
                lines.append((f"2^{n.bit_length() - 1}", name, f"{len(list(pairs(part))):,}", *taus, median, near))
    return table(HEAD, lines)


def times(rows: Sequence[Row]) -> str:
    """Each lab's tasks, measured and modelled."""
    sizes = sorted({row.n for row in rows})
    parts = []
    for lab in sorted({row.lab for row in rows}):
        by_place = {(row.task, row.n): row for row in rows if row.lab == lab}
        lines = []
        for task in dict.fromkeys(task for task, _ in by_place):
            cells = [f"`{task}`"]
            for n in sizes:
                row = by_place.get((task, n))
                both = (seconds(row.measured), seconds(row.modelled), f"{row.ratio:.2f}") if row else "---"
                cells += both
            lines.append(cells)
        head = "task" + "".join(f" | +2^{n.bit_length() - 1} | +modelled | +ratio" for n in sizes)
        parts.append(f"## Lab {lab}\n\n{table(head, lines)}")
    return "\n".join(parts)


def write(rows: Sequence[Row]) -> None:
    known = [row for row in rows if row.modelled > 0]
    first = known[0]
    write_part(PAGE, "measured on", f"Measured on an {first.gpu}, driver {first.driver}, {first.date}.")
    write_part(PAGE, "agreement", agreement(known))
    write_part(PAGE, "times", times(known))
