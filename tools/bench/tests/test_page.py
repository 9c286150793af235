"""The page of times says what the measured rows say."""

from __future__ import annotations

from bench.ladder import read_csv
from bench.page import PAGE, ROWS, page


def test_the_page_is_made_from_the_rows() -> None:
    assert PAGE.read_text() == page(read_csv(ROWS)), "python -m bench.page writes it anew"


def test_every_rung_has_every_size() -> None:
    rows = read_csv(ROWS)
    sizes = {row.n for row in rows}
    assert sizes == {1 << 20, 1 << 24, 1 << 26}
    assert {(row.lab, row.task, row.n) for row in rows} == {(row.lab, row.task, n) for row in rows for n in sizes}
