"""Results are on the terminal as they come."""

from __future__ import annotations

import io

from rich.console import Console

from autograder.report.progress import line, task_lines
from autograder.report.result import OutputResult, TaskResult

RIGHT = TaskResult("naive", 10, 10, True, "AC", OutputResult(24, 24), True)
WRONG = TaskResult("fast", 0, 15, True, "WA", OutputResult(3, 24), reason="wrong from \x1b[31m[bold]n = 1025 on")


def test_a_result_takes_the_place_of_its_bar_while_others_go_on() -> None:
    out = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    with task_lines(out) as lines:
        lines.begin(["naive", "fast"])
        lines("fast", 0.5)
        lines.finished(RIGHT)
        assert isinstance(out.file, io.StringIO)
        text = out.file.getvalue()
    shown = text[text.rindex("  naive") :]
    assert "AC 24/24" in shown
    assert "clean" in shown
    assert "10 / 10" in shown
    assert "50 %" in shown[shown.index("fast") :]


def test_without_a_terminal_nothing_is_shown() -> None:
    out = Console(file=io.StringIO(), width=100)
    with task_lines(out) as lines:
        lines.begin(["naive"])
        lines("naive", 0.5)
        lines.finished(RIGHT)
    assert isinstance(out.file, io.StringIO)
    assert out.file.getvalue() == ""


def test_a_line_says_why_and_takes_text_as_text() -> None:
    text = line(WRONG).plain
    assert text.startswith("WA 3/24")
    assert text.endswith("0 / 15") and "wrong from [31m[bold]n = 1025 on" in text
    for width in (80, 60, 44):
        assert len(line(WRONG, width - 11).plain) <= width - 11
