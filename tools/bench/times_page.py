"""Writes the tables of docs/measured/times-h200.md, and the speeds in the maps, from docs/data/ladder_h200.csv."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from autograder.timing.measure import seconds
from bench.csv_rows import read_csv
from bench.ladder import Row
from bench.page_parts import table, with_part

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "docs" / "data" / "ladder_h200.csv"
PAGE = ROOT / "docs/measured/times-h200.md"
MAP_ROW = re.compile(r"^(?P<link>\| \[`(?P<task>\w+)`\]\([^)]*\) \|) *(?P<speed>[^|]*?) *\|(?P<idea>.*)$", re.MULTILINE)
MAP_N = 1 << 24  # the size whose speeds are in the maps; for a task that ends before it, its largest size


def page(text: str, rows: Sequence[Row]) -> str:
    """The whole page, with new tables for every lab."""
    for lab, group in groupby(rows, key=lambda row: row.lab):
        of_lab = list(group)
        part = by_size(usual(of_lab))
        if len(usual(of_lab)) < len(of_lab):
            part += f"\n{by_variant(of_lab)}"
        rates = sorted({round(row.copy_rate / 1e9) for row in of_lab})
        several = f" to {rates[-1]:,}" if len(rates) > 1 else ""
        part += f"\nCopy in the same run{'s' if several else ''}: {rates[0]:,}{several} GB/s."
        text = with_part(text, f"lab {lab}", part)
    return text


def usual(rows: Sequence[Row]) -> list[Row]:
    """The rows of each task's first variant."""
    first: dict[str, str] = {}
    return [row for row in rows if row.variant == first.setdefault(row.task, row.variant)]


def by_size(rows: Sequence[Row]) -> str:
    by_place = {(row.task, row.n): row for row in rows}
    sizes = sorted({row.n for row in rows})
    lines = []
    for task in dict.fromkeys(row.task for row in rows):
        cells = [f"`{task}`"]
        for n in sizes:
            row = by_place.get((task, n))
            cells += (seconds(row.seconds), f"{row.of_copy:.0%}") if row else "--"
        lines.append(cells)
    return table("task" + "".join(f" | +n = 2^{n.bit_length() - 1} | +of copy" for n in sizes), lines)


def by_variant(rows: Sequence[Row]) -> str:
    """The tasks that were measured with more than one variant, at MAP_N."""
    by_place = {(row.task, row.variant): row for row in rows if row.n == MAP_N}
    others = {row.task for row in rows} & {row.task for row in set(rows) - set(usual(rows))}
    tasks = [task for task in dict.fromkeys(row.task for row in rows) if task in others]
    variants = list(dict.fromkeys(row.variant for row in rows if row.task in others))
    head = f"task, n = 2^{MAP_N.bit_length() - 1}" + "".join(f" | +`{variant}`" for variant in variants)
    return table(head, [[f"`{task}`", *(seconds(by_place[task, v].seconds) for v in variants)] for task in tasks])


def folder(lab: int) -> Path:
    return next((ROOT / "labs").glob(f"{lab:02}-*"))


def map_path(lab: int) -> Path:
    """The page with the map of the ladder."""
    return ROOT / "solutions" / folder(lab).name / "README.md"


def map_rates(rows: Sequence[Row]) -> dict[str, str]:
    """GB/s of each task, with at least two digits."""
    largest = {row.task: row for row in sorted(usual(rows), key=lambda row: row.n) if row.n <= MAP_N}
    rates = {task: row.rate / 1e9 for task, row in largest.items()}
    return {task: f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}" for task, rate in rates.items()}


def with_speeds(text: str, rows: Sequence[Row]) -> str:
    """A map, a table with the columns task, H200 and idea, with the speeds of these rows."""
    rates = map_rates(rows)

    def row(found: re.Match[str]) -> str:
        speed = f"{rates[found['task']]} GB/s" if found["task"] in rates else found["speed"]
        return f"{found['link']} {speed} |{found['idea']}"

    return MAP_ROW.sub(row, text)


def main() -> None:
    rows = read_csv(Row, ROWS)
    PAGE.write_text(page(PAGE.read_text(), rows))
    for lab, group in groupby(rows, key=lambda row: row.lab):
        path = map_path(lab)
        path.write_text(with_speeds(path.read_text(), list(group)))


if __name__ == "__main__":
    main()
