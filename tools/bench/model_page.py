"""Writes docs/model-h200.md: the modelled time of every rung beside an H200's."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from autograder.timing.measure import seconds
from bench.model import ROOT, Row, pairs, tau, tau_within_labs

PAGE = ROOT / "docs" / "model-h200.md"

HEAD = """# Modelled times beside an H200's

Every rung of the reference solutions: measured on an {gpu} (driver {driver}, {date}; the median of seven
calls, L2 overwritten before each), and modelled with `--device h200`. Both are what the lab program measures by events
around the call.

`python -m bench.model --device gpu` measures [data/model_h200.csv](data/model_h200.csv); without `--device`, it models
its rows and writes this page (both with `PYTHONPATH=tools`). The profile's numbers are those of small kernels that each
measure one thing (a launch, a chain of loads, atomics on one line, ...); no rung was fitted. Pairs of rungs whose
measured times differ by less than 10 % have no order.

| n | pairs | Kendall's tau | tau within labs | median of modelled / measured | from 0.5 to 2 |
|--:|--:|--:|--:|--:|--:|
"""


def page(rows: Sequence[Row]) -> str:
    sizes = sorted({row.n for row in rows})
    parts = [HEAD.format(gpu=rows[0].gpu, driver=rows[0].driver, date=rows[0].date)]
    for n in sizes:
        some = [row for row in rows if row.n == n]
        ratios = [row.ratio for row in some]
        near = sum(0.5 <= ratio <= 2 for ratio in ratios)
        parts.append(
            f"| 2^{n.bit_length() - 1} | {len(list(pairs(some))):,} | {tau(some):.2f} | {tau_within_labs(some):.2f} "
            f"| {statistics.median(ratios):.2f} | {near} of {len(ratios)} |\n"
        )
    for lab in sorted({row.lab for row in rows}):
        parts.append(
            f"\n## Lab {lab}\n\n| rung |" + "".join(f" 2^{n.bit_length() - 1} | modelled | ratio |" for n in sizes)
        )
        parts.append("\n|---|" + "--:|--:|--:|" * len(sizes) + "\n")
        by_place = {(row.task, row.n): row for row in rows if row.lab == lab}
        for task in dict.fromkeys(task for task, _ in by_place):
            cells = []
            for n in sizes:
                row = by_place.get((task, n))
                cells.append(
                    f" {seconds(row.measured)} | {seconds(row.modelled)} | {row.ratio:.2f} |" if row else " | | |"
                )
            parts.append(f"| `{task}` |" + "".join(cells) + "\n")
    return "".join(parts)


def write(rows: Sequence[Row]) -> None:
    PAGE.write_text(page([row for row in rows if row.modelled > 0]))
