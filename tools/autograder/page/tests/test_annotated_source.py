"""The source on a page: which lines are shown, and which cost most."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.page.annotated_source import listing, time_shares
from autograder.page.sources import Sources
from autograder.page.tests.support import task
from autograder.run.protocol import Counters, KernelReport, LineCounters, Place
from autograder.timing.study import costliest

SLOW = Counters(instructions=10, load_sectors=900, ideal_load_sectors=100)

FAST = Counters(instructions=90, load_sectors=100, ideal_load_sectors=100)


def kernel(limit: str, *lines: tuple[int, Counters], seconds: float = 1e-3, file: str = "/a/scan.cu") -> KernelReport:
    counted = [LineCounters(Place(file, number, f"line {number}"), counters) for number, counters in lines]
    return KernelReport("k", seconds=seconds, limited_by=limit, lines=counted)


def test_time_goes_where_the_limit_is() -> None:
    by_memory = time_shares([kernel("dram", (4, SLOW), (5, FAST))])
    assert by_memory[("/a/scan.cu", 4)] == pytest.approx(0.9)
    by_issue = time_shares([kernel("issue", (4, SLOW), (5, FAST))])
    assert by_issue[("/a/scan.cu", 4)] == pytest.approx(0.1)
    both = time_shares([kernel("dram", (4, SLOW), seconds=3e-3), kernel("issue", (5, FAST), seconds=1e-3)])
    assert both == {("/a/scan.cu", 4): pytest.approx(0.75), ("/a/scan.cu", 5): pytest.approx(0.25)}
    nothing = time_shares([kernel("shared", (4, SLOW), (5, FAST))])  # no line has what limits it
    assert sum(nothing.values()) == pytest.approx(1.0)
    assert time_shares([kernel("", seconds=0.0)]) == {}


def test_lines_around_and_gaps(tmp_path: Any) -> None:
    own = tmp_path / "scan.cu"
    own.write_text("\n".join(f"line {n}" for n in range(1, 41)))
    one = task(kernels=(kernel("dram", (3, SLOW), (9, FAST), (30, FAST)),))
    (file,) = listing(one, Sources("scan.cu", own))
    numbers = [row.number for row in file.rows]
    assert numbers == [*range(1, 12), 0, *range(28, 33)]
    assert file.own and file.rows[2].wasteful == (True, False) and file.rows[0].counters is None
    (file,) = listing(one, Sources("scan.cu", None))  # without the file, the lines that are known
    assert [(row.number, row.text) for row in file.rows] == [
        (3, "line 3"), (0, ""), (9, "line 9"), (0, ""), (30, "line 30"),
    ]  # fmt: skip


def test_the_costliest_line_wastes_or_moves_most() -> None:
    conflicts = Counters(shared_wavefronts=320, ideal_wavefronts=10)
    much = Counters(load_sectors=1000, ideal_load_sectors=1000)
    assert costliest([kernel("dram", (4, SLOW), (5, FAST))]) == ("/a/scan.cu", 4)
    assert costliest([kernel("dram", (7, much), (8, conflicts))]) == ("/a/scan.cu", 8)
    little = Counters(load_sectors=110, ideal_load_sectors=100)
    assert costliest([kernel("dram", (7, much), (8, little))]) == ("/a/scan.cu", 7)
    assert costliest([kernel("issue", (7, Counters(instructions=5)))]) is None
    assert costliest([]) is None
