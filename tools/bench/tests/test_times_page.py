"""The page of times says what the measured rows say."""

from __future__ import annotations

import pytest

from bench.csv_rows import read_csv
from bench.ladder import Row
from bench.times_page import MAP_N, MAP_ROW, PAGE, ROWS, map_path, map_rates, page, with_speeds

LABS = sorted({row.lab for row in read_csv(Row, ROWS)})


def test_the_page_is_made_from_the_rows() -> None:
    assert PAGE.read_text() == page(PAGE.read_text(), read_csv(Row, ROWS)), "python -m bench.times_page writes it anew"


def test_every_task_has_every_size_up_to_the_end_of_its_contract() -> None:
    ends = {(5, "max_slots"): 22, (5, "count_scan_scatter"): 22, (5, "thread_per_output"): 24, (5, "load_balanced"): 24}
    ends[10, "by_index"] = 24
    measured: dict[tuple[int, str], set[int]] = {}
    for row in read_csv(Row, ROWS):
        measured.setdefault((row.lab, row.task), set()).add(row.n)
    assert {lab for lab, _ in measured} >= set(range(1, 13))
    for task, sizes in measured.items():
        end = ends.get(task, 26)
        assert sizes >= {1 << e for e in (20, 24, 26, end) if e <= end}, task
        assert max(sizes) == 1 << end, task


@pytest.mark.parametrize("lab", LABS)
def test_the_maps_of_the_ladders_have_the_measured_speeds(lab: int) -> None:
    rows = [row for row in read_csv(Row, ROWS) if row.lab == lab]
    text = map_path(lab).read_text()
    assert with_speeds(text, rows) == text, "python -m bench.times_page writes it anew"
    told = {row["task"]: row["speed"].removesuffix(" GB/s") for row in MAP_ROW.finditer(text)}
    assert told == map_rates(rows)
    largest = {row.task: max(other.n for other in rows if other.task == row.task) for row in rows}
    some = next(row for row in rows if row.n == min(MAP_N, largest[row.task]))
    assert float(told[some.task].replace(",", "")) == pytest.approx(some.bytes / some.seconds / 1e9, rel=0.05)
