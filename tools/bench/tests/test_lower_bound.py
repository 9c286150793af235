"""The bound from below on modelled times, and the solutions' times."""

from __future__ import annotations

import pytest

from bench.lower_bound import ROOT, Least, least_times

CHEAP = (1, 2)  # labs for every run of the tests
SMALL = 1 << 16
NOISE = 1.02  # a time closer to the bound than this might be the bound


def not_above(found: list[Least]) -> list[str]:
    assert found, "no task was called"
    return [f"lab {one.lab} {one.task}: {one.ratio:.3f} of {one.by}" for one in found if not one.ratio > NOISE]


def built(lab: int) -> bool:
    return (ROOT / f"build/solution{lab}").is_file() and (ROOT / "build/device").is_file()


@pytest.mark.parametrize("lab", CHEAP)
def test_tasks_of_the_first_labs_are_above_the_bound(lab: int) -> None:
    if not built(lab):
        pytest.skip("nothing is built: make solutions")
    assert not not_above(list(least_times(ROOT / "build", [lab], SMALL)))


@pytest.mark.slow
@pytest.mark.parametrize("lab", range(1, 13))
def test_every_task_is_above_the_bound_at_its_timed_size(lab: int) -> None:
    if not built(lab):
        pytest.skip("nothing is built: make solutions")
    found = list(least_times(ROOT / "build", [lab]))
    assert not not_above(found)
    assert all(one.by and one.least > 0 for one in found)


def test_a_time_at_the_bound_is_told() -> None:
    assert not_above([Least(1, "grid", 1024, 1.0, 1.0, "dram"), Least(1, "one", 1024, 2.0, 1.0, "l2")]) == [
        "lab 1 grid: 1.000 of dram"
    ]
