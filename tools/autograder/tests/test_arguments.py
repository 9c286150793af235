"""Numbers as people write them."""

from __future__ import annotations

import pytest

from autograder import arguments
from autograder.errors import UsageError


@pytest.mark.parametrize("seed", ["xyz", "-1", "1" + "0" * 16])
def test_bad_seeds(seed: str) -> None:
    with pytest.raises(Exception, match="--seed"):
        arguments.seed_of(seed)


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
    assert arguments.size_of("--n", text) == n


@pytest.mark.parametrize("text", ["", "x", "1.5", "1.25e1", "1,00", "1M", "2^", "1e-3", "1.5^2"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="not a whole number"):
        arguments.size_of("--n", text)
