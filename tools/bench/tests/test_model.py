"""The modelled times of the tasks against an H200's."""

from __future__ import annotations

import statistics

import pytest

from bench.csv_rows import read_csv, write_csv
from bench.model import ROOT, ROWS, Row, parsed, rows_of, tau, tau_within_labs
from bench.records import tasks_with_record

CHEAP = (2, 9)  # labs that are modelled anew


def row(task: str, measured: float, modelled: float, lab: int = 1) -> Row:
    return Row(lab, task, "", 1, measured, measured, measured, modelled, "", "", "")


def test_pairs_in_order_count_for_and_others_against() -> None:
    assert tau([row("a", 1, 2), row("b", 2, 3), row("c", 4, 5)]) == 1
    assert tau([row("a", 1, 9), row("b", 2, 3), row("c", 4, 5)]) == pytest.approx(-1 / 3)
    assert tau([row("a", 1, 2), row("b", 1.05, 1)]) == 1, "measured alike: no order"
    assert tau_within_labs([row("a", 1, 2), row("b", 2, 1, lab=2)]) == 1, "two labs: no pair"


def test_lines_of_a_lab_program_are_read() -> None:
    (found,) = parsed(7, "merge_path power_law 1024 3e-05 1e-05 2e-05\n")
    assert (found.task, found.variant, found.n) == ("merge_path", "power_law", 1024)
    assert (found.measured, found.low, found.high) == (2e-05, 1e-05, 3e-05)


def test_the_model_orders_tasks_of_all_labs_as_an_h200_does() -> None:
    rows = [one for one in read_csv(Row, ROWS) if one.modelled > 0]
    assert {one.lab for one in rows} == set(range(1, 13))
    for n in {one.n for one in rows}:
        some = [one for one in rows if one.n == n]
        assert tau(some) >= 0.89
        assert 0.5 <= statistics.median(one.ratio for one in some) <= 2


def test_rows_survive_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    write_csv(Row, [row("a", 1.25e-5, 2e-5)], tmp_path / "rows.csv")
    assert read_csv(Row, tmp_path / "rows.csv") == [row("a", 1.25e-5, 2e-5)]


@pytest.mark.slow
@pytest.mark.parametrize("lab", CHEAP)
def test_the_file_holds_what_the_model_says_today(lab: int) -> None:
    if not (ROOT / f"build/solution{lab}").is_file():
        pytest.skip("nothing is built: make solutions")
    wanted = [one for one in read_csv(Row, ROWS) if one.lab == lab and one.n == 1 << 20]
    today = {one.task: one.low for one in rows_of(ROOT / "build", lab, 1 << 20, "h200", 1)}
    records = tasks_with_record()
    for one in [one for one in wanted if (one.lab, one.task) not in records]:
        assert today[one.task] == pytest.approx(one.modelled, rel=0.1), "python -m bench.model writes the file anew"
