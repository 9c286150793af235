"""The drawings of a page: what is wrong, which lane touches what, times; and what of the source is shown."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from autograder.explain.explanation import Picture
from autograder.explain.picture import CELLS, EDGE, picture_of
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Outcome, Wrong
from autograder.page import charts
from autograder.page.annotated_source import listing, time_shares
from autograder.page.failures import marks, strip_or_image
from autograder.page.lanes import first_shown, map_of, sentence, steps_of
from autograder.page.sources import Sources
from autograder.page.tests.support import Page, result, steps, task, time, traced
from autograder.plan.cases import Case
from autograder.plan.tables import ArraySpec, Shape
from autograder.run.protocol import Counters, KernelReport, LineCounters, Place, TraceStep
from autograder.timing.study import TimeAt, costliest

POISON = 0xA5


def wrong_output(n: int, wrong: Any, *, unwritten: Any = (), width: int = 0, variant: str = "") -> Outcome:
    """A call whose output is wrong at these places."""
    mask = np.zeros(n, np.bool_)
    mask[wrong] = True
    got = np.zeros(n, np.int32)
    got[mask] = 7
    got[list(unwritten)] = np.frombuffer(bytes([POISON] * 4), np.int32)[0]
    scalars = {"width": width} if width else {}
    shape = Shape([ArraySpec("d_in", "int32", n)], [ArraySpec("d_out", "int32", n)], 8.0 * n, scalars)
    checked = Checked(False, [np.zeros(n, np.int32)], [mask], [n])
    seen = Wrong(shape, [np.arange(n, dtype=np.int32)], [got], checked, POISON)
    return Outcome(Case("task", variant, n, 1, 0), wrong=seen)


def drawn(outcome: Outcome, *others: Outcome) -> Picture:
    picture = picture_of(outcome, others)
    assert picture
    return picture


def test_a_strip() -> None:
    picture = drawn(wrong_output(40, [32, 39], unwritten=[39]))
    assert picture.cells == "." * 32 + "x" + "." * 6 + "u"
    assert (picture.elements, picture.width, picture.n) == (1, 0, 40)
    assert [word for _, word in marks(picture)] == ["right", "wrong", "never written"]


@pytest.mark.parametrize("n", [CELLS, CELLS + 1, 5000, 1_000_003])
def test_a_long_strip_has_few_cells(n: int) -> None:
    picture = drawn(wrong_output(n, slice(n // 2, None)))
    assert len(picture.cells) <= CELLS and len(picture.cells) * picture.elements >= n
    assert picture.cells.startswith(".") and picture.cells.endswith("x")  # the last, partly filled cell, too
    assert picture.cells.count("-") <= 1
    assert "x" in picture.cells and Page(str(strip_or_image(picture).__html__()).encode()).elements


def test_one_wrong_element_of_many_is_seen() -> None:
    assert drawn(wrong_output(1_000_000, [777_777])).cells.count("-") == 1


def test_an_image() -> None:
    picture = drawn(wrong_output(40 * 20, np.arange(40), width=40))
    assert picture.width == 40 and picture.cells == "x" * 40 + "." * 760
    large = drawn(wrong_output(1000 * 500, np.arange(250_000), width=1000))
    rows = len(large.cells) // large.width
    assert large.width <= EDGE and rows <= EDGE and large.cells.startswith("x" * large.width)
    assert large.cells.endswith("." * large.width)


def test_a_larger_call_is_drawn_where_the_smallest_shows_nothing() -> None:
    smallest, all_wrong = wrong_output(1, [0]), wrong_output(64, slice(None))
    thin, telling = (
        wrong_output(64, [0], width=2, variant="thin"),
        wrong_output(400, [0, 19], width=20, variant="clamp"),
    )
    picture = drawn(smallest, smallest, all_wrong, thin, telling, wrong_output(900, [3]))
    assert (picture.n, picture.variant, picture.width) == (400, "clamp", 20)
    assert drawn(wrong_output(33, [32]), telling).n == 33  # the failure itself, if it shows something
    assert drawn(wrong_output(2, [0, 1]), all_wrong).n == 2  # nothing is better than the failure
    assert picture_of(smallest, []) is None
    assert picture_of(Outcome(Case("task", "", 9, 1, 0)), []) is None


def test_bank_conflicts_are_marked() -> None:
    conflict, apart, same, wide, far, atomic, narrow, large = map(map_of, steps())
    assert len(conflict.lines) == 32 and all(cell.conflict and cell.column == 0 for cell in conflict.cells)
    assert [cell.text for cell in apart.cells] == [str(lane) for lane in range(32)]
    assert not any(cell.conflict for cell in apart.cells) and not apart.touched
    assert [(cell.column, cell.text) for cell in same.cells] == [(2, "×32")]  # a broadcast
    assert len(wide.cells) == 64 and len(wide.lines) == 2  # a lane has four words
    assert len(far.touched) == 32 and {cell.column for cell in far.cells} == {1}
    assert [(cell.column, cell.text) for cell in atomic.cells] == [(5, "×3")]
    assert [cell.text for cell in narrow.cells] == ["×4"] * 8
    assert large.lines == [1_000_000_000_000 // 128 * 128]


def test_the_first_access_shown_wastes_most() -> None:
    order = [steps()[1], steps()[4], steps()[0]]
    assert first_shown(traced(order)) == 2  # 31 wavefronts too many; the other 28 sectors
    assert first_shown(traced([steps()[1], steps()[2]])) == 0


def test_what_an_access_costs_in_words() -> None:
    assert sentence(steps()[4]) == "read of d_in, 4 bytes by each of 32 lanes: 32 sectors, 4 would do"
    assert sentence(steps()[7]) == "write of d_out, 8 bytes by each of 1 lane: 1 sector, no more than needed"
    data = json.loads(steps_of(traced()))
    assert data[5]["at"][:5] == [20, 20, None, 20, None] and len(data) == 8


@pytest.mark.parametrize("lanes", [0, 1, 2**31])
def test_maps_of_few_lanes(lanes: int) -> None:
    found = map_of(TraceStep("global", "read", "a", 4, lanes, 1, 1, [0] * 32))
    assert len(found.cells) == (1 if lanes else 0)


def texts(drawing: object) -> str:
    assert drawing is not None
    return Page(str(drawing.__html__()).encode()).text  # type: ignore[attr-defined]


def test_the_ladder() -> None:
    said = texts(charts.ladder(result(task("slow", time=time(seconds=4e-5)), task("fast", time=time(seconds=5e-6)))))
    assert "slow" in said and "fast" in said and "a plain copy" in said and "100 GB/s" in said
    assert charts.ladder(result(task(verdict="WA"))) is None


def test_time_over_size() -> None:
    sizes = tuple(TimeAt(2**k, 1e-6 * 2**k, 1e-6, 8.0 * 2**k) for k in (8, 10))
    said = texts(charts.over_sizes(task(time=time(), sizes=sizes)))
    for words in ("2⁸", "2¹⁰", "2¹²", "this file", "reference", "a plain copy", "100 µs"):
        assert words in said, words
    assert charts.over_sizes(task(time=time())) is None
    assert charts.over_sizes(task(time=time(), sizes=(TimeAt(0, 0.0, 0.0, 0.0),))) is None  # one point is not a line
    same = tuple(TimeAt(n, 1e-5, 1e-5, 0.0) for n in (100, 1000))
    without = replace(time(1000, 1e-5), copy_bandwidth=None)
    assert "a plain copy" not in texts(charts.over_sizes(task(time=without, sizes=same)))


def test_a_distribution() -> None:
    said = texts(charts.distribution([0.0, 0.05, 0.999, 1.0, 1.1, -0.1]))
    assert "90" in said and "100" in said and said.count("3") >= 1


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
