"""No lab is half filled in."""

from __future__ import annotations

from pathlib import Path

import pytest

from newlab.marks import MARK, marks
from tests.test_docs import ROOT


def test_nothing_is_left_to_fill_in() -> None:
    left = [str(mark) for mark in marks(ROOT)]
    if left:
        pytest.fail("\n".join([*left, f"{len(left)} lines are still to be filled in"]), pytrace=False)


def test_marks_are_found_where_a_lab_is_written(tmp_path: Path) -> None:
    for name in ("labs/13-new/grading/lab.toml", "docs/course.md", "docs/adding-a-lab.md", "tools/figures/new.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"one\n  {MARK}: two\n")
    assert [str(mark) for mark in marks(tmp_path) if mark] == [
        f"labs/13-new/grading/lab.toml:2: {MARK}: two",
        f"tools/figures/new.py:2: {MARK}: two",
        f"docs/course.md:2: {MARK}: two",
    ]
