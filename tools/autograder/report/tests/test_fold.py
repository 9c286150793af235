"""Lines are folded at spaces."""

from __future__ import annotations

import sys

import pytest

from autograder.report.fold import Line, tell


def test_rows_are_folded_at_spaces_only() -> None:
    line = Line("for (int i = 0; i < n; ++i) " + "x" * 50, "  > 7  ", 9)
    rows = [row.plain for row in line.rows(30)]
    assert rows == ["  > 7  for (int i = 0; i < n;", "         ++i)", "         " + "x" * 50]
    assert [row.plain for row in Line("a\nb").rows(80)] == ["  a", "  b"]
    assert [row.plain for row in Line("").rows(80)] == [""]


def test_an_error_is_folded_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "grader: there is no lab '99'; labs: " + ", ".join(f"{n} (a lab)" for n in range(1, 18))
    tell(said)
    assert capsys.readouterr().err == f"{said}\n"
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    tell(said)
    rows = capsys.readouterr().err.splitlines()
    assert len(rows) > 1 and all(len(row) <= 60 for row in rows) and " ".join(row.strip() for row in rows) == said
