"""A wrong output as a strip of cells."""

from __future__ import annotations

import pytest

from autograder.explain.picture import CELLS
from autograder.explain.tests.test_picture import drawn, wrong_output
from autograder.page.failures import marks, strip_or_image
from autograder.page.tests.support import Page


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
