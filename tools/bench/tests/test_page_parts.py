"""Parts of pages, and tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import corpus_page, counters_page, model_page
from bench.page_parts import table, with_part

PAGE = "# A\n\nby people\n\n<!-- b -->\n\nold\n\n<!-- until here -->\n\nby people\n"


def test_only_the_part_is_replaced() -> None:
    assert with_part(PAGE, "b", "new \\1\n") == PAGE.replace("old", "new \\1")


@pytest.mark.parametrize("text", [PAGE.replace("b -->", "c -->"), PAGE * 2])
def test_a_page_without_the_part_or_with_two_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not one"):
        with_part(text, "b", "new")


def test_a_table_has_numbers_at_the_right() -> None:
    assert table("a | +b", [("x", 1), ("y", 22)]) == "| a | b |\n|---|--:|\n| x | 1 |\n| y | 22 |\n"


@pytest.mark.parametrize(
    ("page", "names"),
    [
        (corpus_page.PAGE, ["counts", "missed", "topics"]),
        (counters_page.PAGE, ["measured on", "tables"]),
        (model_page.PAGE, ["measured on", "agreement", "times"]),
    ],
)
def test_the_pages_have_the_parts_that_are_written(page: Path, names: list[str]) -> None:
    text = page.read_text("utf-8")
    for name in names:
        text = with_part(text, name, "new")
