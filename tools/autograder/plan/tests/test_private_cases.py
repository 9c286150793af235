"""Which calls are made of private cases."""

from __future__ import annotations

import pytest

from autograder.plan.private_cases import PrivateSet, plan_private
from autograder.plan.tests.test_private_checks import TABLE

pytestmark = pytest.mark.slow


def no_input(name: str) -> bytes:
    raise FileNotFoundError(name)


def test_plans_of_private_cases() -> None:
    sets = [
        PrivateSet("a", tasks=["naive"], sizes=[40_000, 9], seeds=[5]),
        PrivateSet("b", variants=["sum"], sizes=[3]),
    ]
    planned = plan_private(sets, no_input, TABLE.tasks[0], 1)
    assert [(case.n, case.variant) for case in planned[0].cases[:2]] == [(9, "sum"), (9, "max")]
    assert len(planned[0].cases) == 3 and set(planned[0].seeds.values()) == {5}
    assert [one.set.name for one in plan_private(sets, no_input, TABLE.tasks[1], 1)] == []
    again = plan_private(sets, no_input, TABLE.tasks[0], 1)
    assert again[1].cases == planned[1].cases  # a replay meets the same inputs
