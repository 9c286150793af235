"""What a verdict and a time are worth."""

from __future__ import annotations

import pytest

from autograder.score import points


@pytest.mark.parametrize(
    ("verdict", "ratio", "expected"),
    [
        ("AC", 1.0, 10), ("AC", 1 / 1.2, 10), ("AC", 5.0, 10), ("SLOW", 0.31, 7.4), ("SLOW", 0.05, 6.2),
        ("SLOW", 1 / 24, 6.2), ("SLOW", 1 / 240, 0.6), ("SLOW", 0.0, 0), ("AC", float("nan"), 0),
        ("AC", 0.8333, 9.9), ("AC", None, 10), ("WA", 1.0, 0), ("CHECK", 1.0, 0),
        ("SKIP", None, 0), ("IE", None, 0),
    ],
)  # fmt: skip
def test_points(verdict: str, ratio: float | None, expected: float) -> None:
    assert points(verdict, 10, ratio) == expected  # type: ignore[arg-type]


def test_untimed_gives_the_outputs_share_only() -> None:
    assert points("AC", 10, None, timed=False) == 6
