"""The page of times says what the measured rows say."""

from __future__ import annotations

import re

import pytest

from bench.ladder import read_csv
from bench.page import MAP_N, PAGE, ROWS, map_path, page, with_speeds

LABS = sorted({row.lab for row in read_csv(ROWS)})


def test_the_page_is_made_from_the_rows() -> None:
    assert PAGE.read_text() == page(read_csv(ROWS)), "python -m bench.page writes it anew"


def test_every_rung_has_every_size() -> None:
    rows = read_csv(ROWS)
    sizes = {row.n for row in rows}
    assert sizes == {1 << 20, 1 << 24, 1 << 26}
    all_of_them = {(row.lab, row.task, n) for row in rows for n in sizes}
    missing = all_of_them - {(row.lab, row.task, row.n) for row in rows}
    assert {(lab, task) for lab, task, _ in missing if lab != 11} == {(10, "by_index")}, "its contract ends before"
    assert {n for _, _, n in missing} == {1 << 26}


@pytest.mark.parametrize("lab", LABS)
def test_the_maps_of_the_ladders_have_the_measured_speeds(lab: int) -> None:
    rows = [row for row in read_csv(ROWS) if row.lab == lab]
    text = map_path(lab).read_text()
    assert with_speeds(text, rows) == text, "python -m bench.page writes it anew"
    header = text.split("#include")[0]
    told = {task: int(rate.replace(",", "")) for task, rate in re.findall(r"^// (\w+) +([\d,]+) GB/s ", header, re.M)}
    assert told == {row.task: round(row.rate / 1e9) for row in rows if row.n == MAP_N}
