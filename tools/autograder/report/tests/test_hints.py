"""Hints by number."""

from __future__ import annotations

import io
import tomllib

import msgspec
import pytest
from rich.console import Console

from autograder.errors import UsageError
from autograder.plan.manifest import Manifest
from autograder.report import hints

LAB = """
number = 3
name = "add"
title = "Add"
file = "add.cu"
[[task]]
name = "one"
points = 10
hints = ["a?", "b", "c"]
[[task]]
name = "two"
points = 10
hints = ["d?", "e", "f"]
"""


def hinted(number: int, *only: str, upcoming: str = "one") -> str:
    out = io.StringIO()
    manifest = msgspec.convert(tomllib.loads(LAB), Manifest)
    hints.show(Console(file=out, width=120, color_system=None), manifest, upcoming, number, only)
    return out.getvalue()


def test_hints_are_for_the_task_to_do_next() -> None:
    assert hinted(1).splitlines()[:3] == ["one", "  hint 1 of 3: a?", "  more: ./grader hint 3 2 --task one"]
    text = hinted(2, upcoming="two")
    assert "hint 2 of 3: e" in text and "a?" not in text
    assert "hint 1 of 3: a?" in hinted(3, "one", upcoming="")
    with pytest.raises(UsageError, match="full marks"):
        hinted(1, upcoming="")


def test_a_proved_cause_is_the_first_hint_and_its_edit_the_last() -> None:
    out = io.StringIO()
    manifest = msgspec.convert(tomllib.loads(LAB), Manifest)
    last = [lambda: ["off by one: scan.cu, line 3", ">     3  x"], lambda: ["write y"]]
    hints.show(Console(file=out, width=120, color_system=None), manifest, "one", 5, (), lambda task: last)
    lines = out.getvalue().splitlines()
    assert lines[1] == "  hint 1 of 5: off by one: scan.cu, line 3" and lines[2].strip() == ">   3  x"
    assert lines[3] == "  hint 2 of 5: a?" and lines[-1] == "  hint 5 of 5: write y"
