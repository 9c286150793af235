"""Which lane touches what."""

from __future__ import annotations

import json

import pytest

from autograder.page.lanes import first_shown, map_of, sentence, steps_of
from autograder.page.tests.support import steps, traced
from autograder.run.protocol import TraceStep


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
