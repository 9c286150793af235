"""Writes docs/times-h200.md and the speeds in the maps of the ladders from docs/data/ladder_h200.csv."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from autograder.plan.manifest import load
from autograder.timing.measure import seconds
from bench.ladder import Row
from bench.rows import read_csv

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "docs" / "data" / "ladder_h200.csv"
PAGE = ROOT / "docs" / "times-h200.md"
MEASURED_ON = "2026-11-21"
MAP_ROW = re.compile(r"^(?P<link>\| \[`(?P<rung>\w+)`\]\([^)]*\) \|) *(?P<speed>[^|]*?) *\|(?P<idea>.*)$", re.MULTILINE)
MAP_N = 1 << 24  # the size whose speeds are in the maps; for a rung that ends before it, its largest size

HEAD = """# Times on an NVIDIA H200

Every rung of the reference solutions, measured on {date} with CUDA 13.0. Every output was verified.

| what | how it was measured |
|---|---|
| time of a call | from an event before it to an event after a device-wide synchronisation, as the grader does |
| cache | the L2 cache was overwritten before each call |
| number of calls | the median of nine; of three to seven in labs 3, 5 and 7 to 12; one call where it takes seconds |
| order | the rungs of a lab were called in turn |
| "of copy" | the rate of the bytes that the task must move, relative to a large device-to-device copy in the same run |
| - | the rung's contract ends before this size |

The fastest rungs of labs 1 to 4 and 8 to 10 have times of 2026-11-23, those of labs 7, 11 and 12 of 2026-11-25.
[performance.md](performance.md) compares all of them with library calls.

The times include launches and the synchronisation. These take up to 15 µs together, a large part of the fastest times
at 2^20.

`python -m bench --device gpu --labs 3 --sizes 20,24,26 --rounds 9 --csv rows.csv` measures the rows;
`--variant uniform` selects another variant. They are collected in [data/ladder_h200.csv](data/ladder_h200.csv), from
which `python -m bench.page` makes this page (both with `PYTHONPATH=tools`). The virtual GPU's modelled times are tested
against the order of the rungs of labs 1, 2, 3, 4 and 6 at 2^24 (`tools/bench/tests/test_order.py`).
"""

NOTES = {
    1: "`one_block` keeps only one of 132 multiprocessors busy, and its time includes copies from and to the host. "
    "`grid_stride` is faster than `grid` because it starts fewer blocks. `vectorized` makes a quarter of the "
    "requests, each of which brings four times as many bytes. At 2^26 it is as fast as a copy.",
    2: "`global_memory` is slightly ahead of `interleaved` at 2^26. Both are far from memory bandwidth, the first "
    "because of its traffic, the second because of its idle lanes. `warp_shuffle` is faster than `grid_stride` at "
    "small n, where the trees are a large part of the time.",
    3: "`hillis_steele` and `blelloch` scan tiles only. `block_sums` does the whole scan: compare it with `naive`. "
    "`blelloch` saves additions, not bytes, so it is about as fast as `hillis_steele` where memory and barriers are "
    "the limit.",
    4: "`look_back` moves half as many bytes as `warp_ballot` and takes 34 to 77 % less time.",
    5: "`max_slots` and `count_scan_scatter` solve the same problem (triangles). `thread_per_output` and "
    "`load_balanced` solve another one. `words` stands alone.",
    6: "In `global_atomics`, a tenth of the pixels share one counter and queue for it. `replicated` and "
    "`shared_atomics` are equally fast on this picture; most of their time is launch and synchronisation.",
    7: "In the first table, `gather_multiply_reduce` and `row_per_thread` have rows of 16 (`uniform`). The others "
    "have `power_law`, with a few very long rows. The second table has both kinds for each. No rung is the best for "
    "every matrix. Lab 7's handout has three more kinds, and shows where `merge_path` is ahead. `pagerank` is 20 "
    "products by `warp_per_row`.",
    8: "`four_inputs` sorts groups of four neighbours. `odd_even` and `bitonic_block` sort tiles. `bitonic_global` "
    "and `bitonic_registers` sort the whole array. Compare within these groups.",
    9: "`one_thread_per_merge` merges runs of 32. `merge_sort` sorts: compare it with lab 10.",
    10: "`pairs` also moves values, and `by_index` moves records of 32 bytes. They solve more than `digit` and take "
    "longer.",
    11: "The filter has radius 3. `register_window` is faster than `separable` at this size, and takes any filter.",
    12: "`one_thread` waits for a single thread to walk over all keys, `block_partition` for a single block. "
    "`segmented_scan` uses the whole device in each round. It is ahead from 2^20 on and behind below: at 2^16 it "
    "takes 0.75 ms and `block_partition` 0.33 ms.",
}


def page(rows: Sequence[Row]) -> str:
    """The whole page."""
    parts = [HEAD.format(date=MEASURED_ON)]
    for lab, group in groupby(rows, key=lambda row: row.lab):
        of_lab = list(group)
        parts.append(f"\n## Lab {lab}, {load(folder(lab)).title}\n\n{by_size(usual(of_lab))}\n")
        if len(usual(of_lab)) < len(of_lab):
            parts.append(f"\n{by_variant(of_lab)}\n")
        if lab in NOTES:
            parts.append(f"\n{textwrap.fill(NOTES[lab], 120, break_on_hyphens=False)}\n")
        rates = sorted({round(row.copy_rate / 1e9) for row in of_lab})
        several = f" to {rates[-1]:,}" if len(rates) > 1 else ""
        parts.append(f"\nCopy in the same run{'s' if several else ''}: {rates[0]:,}{several} GB/s.\n")
    return "".join(parts)


def usual(rows: Sequence[Row]) -> list[Row]:
    """The rows of each rung's first variant."""
    first: dict[str, str] = {}
    return [row for row in rows if row.variant == first.setdefault(row.task, row.variant)]


def by_size(rows: Sequence[Row]) -> str:
    by_place = {(row.task, row.n): row for row in rows}
    sizes = sorted({row.n for row in rows})
    head = "".join(f" n = 2^{n.bit_length() - 1} | of copy |" for n in sizes)
    lines = [f"| rung |{head}", "|---|" + "--:|--:|" * len(sizes)]
    for task in dict.fromkeys(row.task for row in rows):
        cells = []
        for n in sizes:
            row = by_place.get((task, n))
            cells.append(f" {seconds(row.seconds)} | {row.of_copy:.0%} |" if row else " - | - |")
        lines.append(f"| `{task}` |" + "".join(cells))
    return "\n".join(lines)


def by_variant(rows: Sequence[Row]) -> str:
    """The rungs that were measured with more than one variant, at MAP_N."""
    by_place = {(row.task, row.variant): row for row in rows if row.n == MAP_N}
    others = {row.task for row in rows} & {row.task for row in set(rows) - set(usual(rows))}
    tasks = [task for task in dict.fromkeys(row.task for row in rows) if task in others]
    variants = list(dict.fromkeys(row.variant for row in rows if row.task in others))
    lines = [
        f"| rung, n = 2^{MAP_N.bit_length() - 1} |" + "".join(f" `{variant}` |" for variant in variants),
        "|---|" + "--:|" * len(variants),
    ]
    for task in tasks:
        lines.append(f"| `{task}` |" + "".join(f" {seconds(by_place[task, v].seconds)} |" for v in variants))
    return "\n".join(lines)


def folder(lab: int) -> Path:
    return next((ROOT / "labs").glob(f"{lab:02}-*"))


def map_path(lab: int) -> Path:
    """The page with the map of the ladder."""
    return ROOT / "solutions" / folder(lab).name / "README.md"


def map_rates(rows: Sequence[Row]) -> dict[str, str]:
    """GB/s of each rung, with at least two digits."""
    largest = {row.task: row for row in sorted(usual(rows), key=lambda row: row.n) if row.n <= MAP_N}
    rates = {task: row.rate / 1e9 for task, row in largest.items()}
    return {task: f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}" for task, rate in rates.items()}


def with_speeds(text: str, rows: Sequence[Row]) -> str:
    """A map, a table with the columns rung, H200 and idea, with the speeds of these rows."""
    rates = map_rates(rows)

    def row(found: re.Match[str]) -> str:
        speed = f"{rates[found['rung']]} GB/s" if found["rung"] in rates else found["speed"]
        return f"{found['link']} {speed} |{found['idea']}"

    return MAP_ROW.sub(row, text)


def main() -> None:
    rows = read_csv(Row, ROWS)
    PAGE.write_text(page(rows))
    for lab, group in groupby(rows, key=lambda row: row.lab):
        path = map_path(lab)
        path.write_text(with_speeds(path.read_text(), list(group)))


if __name__ == "__main__":
    main()
