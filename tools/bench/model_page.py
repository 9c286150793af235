"""Writes virtual_gpu/docs/model-h200.md: the modelled time of every rung beside an H200's."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from autograder.timing.measure import seconds
from bench.model import ROOT, Row, pairs, tau, tau_within_labs

PAGE = ROOT / "virtual_gpu/docs/model-h200.md"

HEAD = """# Modelled times compared with an H200

Every rung of the reference solutions: measured on an {gpu} (driver {driver}, {date}; the median of 21
calls, L2 overwritten before each), and modelled with `--device h200`. Both are what the lab program measures with
events around the call.

`python -m bench.model --device gpu` measures [data/model_h200.csv](data/model_h200.csv); without `--device`, it models
its rows and writes this page (both with `PYTHONPATH=tools`). Rungs that have changed since then are missing until they
are measured again. The profile's numbers come from small kernels that each measure one thing (a launch, a chain of
loads, atomics on one line, ...); none is fitted to a rung. Labs 1, 3 and 7 brought L2 and tickets into the model; lab 6
brought counting atomics and local arrays. The other even labs changed nothing, so their row ("even but 6") is a test of
the model.

Pairs of rungs whose measured times differ by less than 10 % are not compared. A rung without a modelled time at a size
was not modelled there, because the slowest take minutes.

| n | labs | pairs | Kendall's tau | tau within labs | median of modelled / measured | from 0.5 to 2 |
|--:|---|--:|--:|--:|--:|--:|
"""

PARTS = {"odd": range(1, 13, 2), "even": range(2, 13, 2), "even but 6": (2, 4, 8, 10, 12)}

# Observed, possible cause, experiment that would show it.
LIMITS = (
    (
        "Calls of one short kernel take 5 to 7 µs more than modelled",
        "the cost of an event, and the delay between the end of a kernel and the host's next command",
        "events around nothing, around an empty kernel, and around one with a synchronisation",
    ),
    (
        "`grid_stride` and `vectorized` of lab 1 take 5 µs more than `grid` at 2^20, and less at 2^22",
        "the host's query for the number of multiprocessors, or code that is in no cache",
        "the same kernels with the number passed in; a kernel of 20 and one of 200 instructions after L2 was "
        "overwritten",
    ),
    (
        "All rungs of lab 11 with constant memory take 10 to 35 µs more, and `separable` as long at 2^20 as at 2^22",
        "a copy from device memory to a `__constant__` variable, and the first reads of it",
        "such a copy alone, and between two empty kernels",
    ),
    (
        "One-kernel searches of lab 9 take 13 µs more",
        "first touches of pages (TLB), or DRAM that writes back before it reads",
        "a chain of loads over 4 MiB, with L2 overwritten and with L2 only invalidated",
    ),
    (
        "`thread_local_reduce` of lab 6 is modelled too fast",
        "how many lines of local memory L1 looks up in a cycle",
        "loads and stores of local arrays at different indexes",
    ),
    (
        "`row_per_thread` and `pagerank` of lab 7 are modelled too slow",
        "`ptxas` unrolls their loops, so that several loads are under way",
        "their machine code",
    ),
    (
        "`pipelined` of lab 3 is modelled as fast as `look_back`, and is 1.16 times as fast at 2^24",
        "blocks that wait for tiles of others: in the model, what a block looks for is there already",
        "how often a block looks again before it finds a tile's state, on the GPU and here",
    ),
)


def line(n: int, labs: str, rows: Sequence[Row]) -> str:
    ratios = [row.ratio for row in rows]
    near = sum(0.5 <= ratio <= 2 for ratio in ratios)
    return (
        f"| 2^{n.bit_length() - 1} | {labs} | {len(list(pairs(rows))):,} | {tau(rows):.3f} "
        f"| {tau_within_labs(rows):.3f} | {statistics.median(ratios):.2f} | {near} of {len(ratios)} |\n"
    )


def page(rows: Sequence[Row]) -> str:
    sizes = sorted({row.n for row in rows})
    parts = [HEAD.format(gpu=rows[0].gpu, driver=rows[0].driver, date=rows[0].date)]
    for n in sizes:
        some = [row for row in rows if row.n == n]
        parts.append(line(n, "all", some))
        for name, labs in PARTS.items():
            if part := [row for row in some if row.lab in labs]:
                parts.append(line(n, name, part))
    parts.append("\n## What is not modelled\n\n")
    parts.append("| observed | possible cause | experiment that would show it |\n|---|---|---|\n")
    parts += [f"| {' | '.join(one)} |\n" for one in LIMITS]
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
                    f" {seconds(row.measured)} | {seconds(row.modelled)} | {row.ratio:.2f} |" if row else " - | - | - |"
                )
            parts.append(f"| `{task}` |" + "".join(cells) + "\n")
    return "".join(parts)


def write(rows: Sequence[Row]) -> None:
    PAGE.write_text(page([row for row in rows if row.modelled > 0]))
