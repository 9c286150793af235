"""Drawings and the numbers in them."""

from __future__ import annotations

import pytest

from autograder.page.svg import Drawing, compact
from autograder.page.tests.support import (
    HOSTILE,
    SHOWN,
    Page,
)


def test_drawings_escape() -> None:
    d = Drawing(10, 10, HOSTILE, HOSTILE)
    d.text(1, 2, HOSTILE, HOSTILE)
    d.box(1, 2, 3, 4, HOSTILE, HOSTILE)
    d.dot(1, 2, HOSTILE, HOSTILE)
    page = Page(str(d.__html__()).encode())
    assert {name for name, _ in page.elements} == {"svg", "title", "text", "rect", "circle"}
    assert page.text.count(SHOWN) == 4


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (9_999, "9,999"), (12_345, "12.3 k"), (8_388_608, "8.39 M"), (100_000, "100 k"), (2**63, "9,223,372 T")],
)
def test_counts_are_short(count: int, text: str) -> None:
    assert compact(count) == text
