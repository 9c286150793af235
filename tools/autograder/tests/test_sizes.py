"""--n and --max-n: numbers as people write them."""

from __future__ import annotations

import pytest

from autograder import cli
from autograder.errors import UsageError


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("0", 0),
        ("1000000", 10**6),
        ("1,000,000", 10**6),
        ("1_000", 1000),
        ("1e6", 10**6),
        ("1.5e3", 1500),
        ("2^9", 512),
    ],
)
def test_sizes_as_people_write_them(text: str, n: int) -> None:
    assert cli._size("--n", text) == n


@pytest.mark.parametrize("text", ["", "x", "1.5", "1.25e1", "1,00", "1M", "2^", "1e-3", "1.5^2"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="no whole number"):
        cli._size("--n", text)
