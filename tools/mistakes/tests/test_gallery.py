"""course/mistakes.md shows today's edits. What the grader says there is checked where all mistakes are graded."""

from __future__ import annotations

from autograder.cli import ROOT
from mistakes.catalog import all_mistakes
from mistakes.gallery import PAGE, change, heading, shown

ANEW = "tools/author mistakes.gallery writes it anew"


def test_the_page_shows_the_edits_of_today() -> None:
    text = PAGE.read_text("utf-8")
    for mistake in shown():
        assert f"{heading(mistake)}\n\n{change(mistake)}" in text, f"{mistake.title}: {ANEW}"
    assert text.count("\n### ") == len(shown()), ANEW
    assert f"of the {len(all_mistakes(ROOT))} mistakes" in text, ANEW
