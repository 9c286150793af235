"""Figures: how they are found, computed, compared and renewed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from answers.calls import FigureError, Lab
from answers.figures import evaluate, figures, written
from answers.sheets import check_figures
from tests.test_docs import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(ROOT, 1) as runs:
        yield runs


def test_a_figure_is_compared_as_it_is_written(lab: Lab) -> None:
    text = "a 3,907<!--= ceil_div(1000003, 256) --> b 0.33<!--= 1 / 3 --> c `CHECK`<!--= verdict('missing_guard') -->"
    found = list(figures(text, lab))
    assert [one.expected for one in found] == ["3,907", "0.33", "CHECK"]
    assert all(one.is_right for one in found)


def test_a_wrong_figure_is_told_with_its_line(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "answers.md"
    path.write_text("one\n\nhas 13<!--= grid(n=257).blocks --> blocks\n", "utf-8")
    (problem,) = check_figures(path, lab)
    assert problem.told(tmp_path) == "answers.md:3: expected 2, found 13: grid(n=257).blocks"


def test_writing_renews_wrong_figures_only(lab: Lab) -> None:
    text = "8<!--= grid(n=257).blocks --> and 1.50<!--= 3 / 2 -->, `WA`<!--= verdict('missing_guard') -->\n"
    assert written(text, list(figures(text, lab))) == (
        "2<!--= grid(n=257).blocks --> and 1.50<!--= 3 / 2 -->, `CHECK`<!--= verdict('missing_guard') -->\n"
    )


def test_a_call_has_lines_kernels_and_a_name(lab: Lab) -> None:
    text = """<!-- let g = grid(n=1024) -->
32<!--= g.lines("if (i < n)").global_loads --> of 128<!--= g.kernel("grid_kernel").load_sectors -->
"""
    assert [one.is_right for one in figures(text, lab)] == [True, True]


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("gird(n=1)", "did you mean 'grid'"),
        ("grid(n=1).request", "did you mean 'requests'"),
        ("grid(n=1)", "which of its counters"),
        ("grid(n=1).kernel('square').blocks", "there are: grid_kernel"),
        ("grid(n=1).lines('nowhere').sectors", "no line with 'nowhere'"),
        ("grid(n=1).lines('if (i < n)').blocks", "a number of kernels"),
        ("grid(n=1, variant='int7').sectors", "no variant"),
        ("grid(n=1, radius='wide').sectors", "lists no such word"),
        ("grid(n=-1).sectors", "takes n from 0"),
        ("verdict('missing_gard')", "missing_guard"),
        ("changed('grid', 'no such text', '').sectors", "occurs 0 times"),
        ("1 +", "invalid syntax"),
        ("1 / 0", "division by zero"),
        ("__import__('os')", "no task or function"),
        ("[1]", "is no figure"),
    ],
)
def test_what_cannot_be_computed_is_said(lab: Lab, formula: str, says: str) -> None:
    found = next(figures(f"1<!--= {formula} -->", lab))
    assert says in found.error
    assert not found.is_right


def test_a_mark_without_a_figure_is_told(lab: Lab) -> None:
    (found,) = figures("many <!--= 1 + 1 --> of them", lab)
    assert "no figure stands directly before" in found.error


def test_formulas_have_none_of_pythons_functions(lab: Lab) -> None:
    for text in ("open('x')", "__import__('os')", "print(1)"):
        with pytest.raises(FigureError, match="no task or function"):
            evaluate(text, lab, {})
