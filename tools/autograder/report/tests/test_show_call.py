"""A call's arrays on the terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from autograder.report.show_call import window
from autograder.report.text_page import Page


def test_a_long_array_is_shown_around_its_first_wrong_element() -> None:
    assert window(32, 31) == (0, 32)
    assert window(1000, 500) == (492, 509)
    assert window(1000, 0) == (0, 17) and window(1000, 999) == (983, 1000)


def test_a_source_line_is_folded_and_not_cut() -> None:
    out = StringIO()
    Page(Console(file=out, width=40)).source(">    20      s[t] = t < half ? s[t] + s[t + half] : s[t];", 6)
    assert out.getvalue().splitlines() == [
        "      >  20      s[t] = t < half ? s[t]",
        "                   + s[t + half] : s[t];",
    ]  # fmt: skip
