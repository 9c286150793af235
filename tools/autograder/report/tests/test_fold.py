"""Lines are folded at spaces."""

from __future__ import annotations

from autograder.report.fold import Line


def test_rows_are_folded_at_spaces_only() -> None:
    line = Line("for (int i = 0; i < n; ++i) " + "x" * 50, "  > 7  ", 9)
    rows = [row.plain for row in line.rows(30)]
    assert rows == ["  > 7  for (int i = 0; i < n;", "         ++i)", "         " + "x" * 50]
    assert [row.plain for row in Line("a\nb").rows(80)] == ["  a", "  b"]
    assert [row.plain for row in Line("").rows(80)] == [""]
