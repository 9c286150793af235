"""Writes the tables of docs/measured/counters-h200.md: Nsight Compute's counters beside the virtual GPU's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from autograder.plan.cases import Case
from autograder.run.protocol import KernelReport
from bench.counters import ROOT, SEED, Row, on_virtual_gpu
from bench.page_parts import table, write_part

PAGE = ROOT / "docs/measured/counters-h200.md"
HEAD = "task | kernel | +launches | +loads | +stores | +atomics | +shared | "
CLOSE = 0.01
VECTORS = "the assembler reads or writes neighbouring words of shared memory by one instruction"
ONE_LOAD = "the assembler makes one load of the two in both ways of a branch"
FEWER_LOADS = f"{VECTORS}; why it loads a little less is not known"
UNROLLED = "the assembler unrolls the loop, and lanes with fewer rounds take it apart from the others"
REPEATS = "the H200's count differs from run to run"
IN_TURN = "not explained: the H200 counts more where the words of a warp are at random banks"
ORDER = "depends on the order in which blocks reserve their places"
LANES = "the H200's counter of reductions counts lanes, not sectors"
# (lab, task, kernel), or a lab's kernel in all tasks with "": the counters that may differ, and why.
REASONS = {
    (3, "", "reduce_tiles"): ("shared", VECTORS),
    (3, "", "scan_totals"): ("shared", VECTORS),
    (3, "reduce_then_scan", "scan_tiles"): ("shared", VECTORS),
    (3, "", "look_back_kernel"): ("shared", VECTORS),
    (3, "", "pipelined_kernel"): ("shared", VECTORS),
    (4, "", "sum_tiles"): ("shared", VECTORS),
    (4, "", "scan_tiles"): ("shared", VECTORS),
    (4, "", "look_back_kernel"): ("shared", VECTORS),
    (5, "", "sum_tiles"): ("shared", VECTORS),
    (5, "", "scan_tiles"): ("shared", VECTORS),
    (6, "global_atomics", "global_atomics_kernel"): ("atomics", LANES),
    (7, "segmented_scan", "scan_tiles"): ("shared", VECTORS),
    (7, "csr_from_dense", "scan_tiles"): ("shared", VECTORS),
    (7, "csr_from_coo", "scan_tiles"): ("shared", VECTORS),
    (7, "merge_path", "sum_tiles"): ("shared", IN_TURN),
    (7, "", "sum_tiles"): ("shared", VECTORS),
    (7, "", "count_tiles"): ("shared", IN_TURN),
    (7, "", "scatter_tiles"): ("shared", IN_TURN),
    (8, "odd_even", "odd_even_kernel"): ("shared", VECTORS),
    (8, "bitonic_block", "bitonic_block_kernel"): ("shared", VECTORS),
    (8, "bitonic_global", "sort_tiles"): ("shared", VECTORS),
    (8, "bitonic_global", "merge_tiles"): ("shared", VECTORS),
    (10, "", "sum_tiles"): ("shared", VECTORS),
    (10, "", "scan_tiles"): ("shared", VECTORS),
    (10, "", "sort_tiles"): ("shared", VECTORS),
    (10, "", "split"): ("loads", ONE_LOAD),
    (11, "shared_tile", "shared_tile_kernel"): ("loads shared", UNROLLED),
    (11, "separable", "row_pass"): ("shared", REPEATS),
    (11, "separable", "column_pass"): ("shared", REPEATS),
    (12, "segmented_scan", "sum_tiles"): ("shared", VECTORS),
    (12, "segmented_scan", "scan_tiles"): ("loads shared", FEWER_LOADS),
    (12, "sample_partition", "move_to_buckets"): ("stores shared", ORDER),
}


def values(row: Row, counted: KernelReport) -> dict[str, tuple[int, int]]:
    """Measured and counted."""
    total = counted.total
    return {
        "loads": (row.load_sectors, total.load_sectors),
        "stores": (row.store_sectors, total.store_sectors),
        "atomics": (row.red_sectors + row.atom_sectors, total.atomic_sectors),
        "shared": (
            row.shared_load_wavefronts + row.shared_store_wavefronts + row.shared_atom_wavefronts,
            total.shared_wavefronts,
        ),
    }


def is_close(measured: int, counted: int) -> bool:
    return abs(measured - counted) <= CLOSE * measured


def reason(row: Row) -> tuple[str, str]:
    """The counters that may differ, and why; two empty strings: none."""
    return REASONS.get((row.lab, row.task, row.kernel), REASONS.get((row.lab, "", row.kernel), ("", "")))


def counted_of(build: Path, rows: Sequence[Row]) -> dict[tuple[int, str, str, int], Mapping[str, KernelReport]]:
    """The virtual GPU's side of each call."""
    return {key: on_virtual_gpu(build, key[0], Case(*key[1:], SEED, 0)) for key in dict.fromkeys(r.call for r in rows)}


def cell(measured: int, counted: int) -> str:
    if measured == counted:
        return f"{measured:,}" if measured else "-"
    return f"{measured:,} · {counted / measured:.3f}" if measured else f"0 · {counted:,}"


def tables(rows: Sequence[Row], counted: Mapping[tuple[int, str, str, int], Mapping[str, KernelReport]]) -> str:
    parts = []
    ordered = sorted(rows, key=lambda row: (row.lab, row.n))
    for (lab, n), group in groupby(ordered, key=lambda row: (row.lab, row.n)):
        lines = []
        for row in group:
            pairs = values(row, counted[row.call][row.kernel])
            why = "" if all(is_close(*pair) for pair in pairs.values()) else reason(row)[1]
            cells = [cell(*pair) for pair in pairs.values()]
            lines.append((f"`{row.task}`", f"`{row.kernel}`", row.launches, *cells, why))
        parts.append(f"## Lab {lab}, n = {n:,}\n\n{table(HEAD, lines)}")
    return "\n".join(parts)


def write(build: Path, rows: Sequence[Row]) -> None:
    labs = ", ".join(map(str, sorted({row.lab for row in rows})))
    about = f"{rows[0].gpu}, driver {rows[0].driver}, {rows[0].date}. Labs {labs}."
    write_part(PAGE, "measured on", about)
    write_part(PAGE, "tables", tables(rows, counted_of(build, rows)))
