"""Bounds on counters are formulas, and nothing else."""

from __future__ import annotations

import pytest

from autograder.plan.bounds import BoundError, bounds_of


@pytest.mark.parametrize(
    ("formula", "limit"),
    [("70000", 70_000), ("1.1 * n / 8", 140.8), ("log2(n) + 2", 12), ("ceil(n / 1000)", 2), ("4 * warps", 272),
     ("(n - 24) ** 2", 1e6)],
)  # fmt: skip
def test_a_bound_is_a_formula(formula: str, limit: float) -> None:
    (bound,) = bounds_of({"sectors": f"at most {formula}"})
    assert bound.limit(1024, 68) == pytest.approx(limit) and not bound.at_least


@pytest.mark.parametrize(
    "formula", ["", "n n", "x", "n.real", "n[0]", "log2(n, 2)", "[n]", "n and 1", "'a'", "1 if n else 2"]
)
def test_a_bound_is_nothing_else(formula: str) -> None:
    with pytest.raises(BoundError, match="evidence: sectors = "):
        bounds_of({"sectors": f"at most {formula}"})
