"""Which calls are made of a task."""

from __future__ import annotations

import pytest

from autograder.errors import GraderError
from autograder.plan.cases import (
    ANY_ORDER,
    LARGE,
    MANY_FIT,
    MANY_RESIDENT,
    SCHEDULE_KINDS,
    SIXTEEN_RESIDENT,
    case,
    derive,
    one_in,
    plan,
    rescheduled,
    secret_sizes,
)  # fmt: skip
from autograder.plan.manifest import Scheduled
from autograder.plan.tables import TaskTable

TABLE = TaskTable("naive", 10**7, [0, 1, 33, 1025, 65537, 10**6 + 3], 10**6, variants=["sum", "max"])


def test_cases_cover_public_and_secret_sizes() -> None:
    cases = plan(TABLE, 5, virtual=True)
    for n in TABLE.sizes:
        variants = {one.variant for one in cases if one.n == n}
        assert variants == ({"sum", "max"} if n < 1 << 15 else variants) and variants
    assert sum(one.secret for one in cases) >= 2
    assert sum(one.repeat > 0 for one in cases) >= 4
    assert [one.n for one in cases] == sorted(one.n for one in cases)
    everything = plan(TABLE, 5, virtual=False)
    assert {(one.n, one.variant) for one in everything} >= {(10**6 + 3, "sum"), (10**6 + 3, "max")}


def test_secret_sizes_are_no_larger_than_public_ones() -> None:
    """A task whose work grows with the square of n names only small sizes."""
    table = TaskTable("odd_even", 10**7, [0, 1, 33, 1025, 4097], 4096)
    for master in range(100):
        secret = [one.n for one in plan(table, master, virtual=True) if one.secret]
        assert secret and max(secret) < 4097


def test_what_a_call_shows_of_its_seed_does_not_tell_other_draws() -> None:
    """An input's kind often goes by the remainder of its seed: that may not decide which calls are checked."""
    for remainder in range(8):
        seeds = [8 * derive(7, at) + remainder for at in range(4000)]
        assert 0.22 < sum(one_in(4, seed, "checked") for seed in seeds) / len(seeds) < 0.28
    sizes = {n for master in range(500) for n in secret_sizes(10**6, master, "naive")}
    assert min(sizes) == 2 and max(sizes) > 100_000 and len(sizes) > 1000
    assert secret_sizes(10**6, 1, "naive") != secret_sizes(10**6, 1, "blelloch")


def test_the_variant_that_tells_an_order_is_repeated() -> None:
    repeated = {one.variant for one in plan(TABLE, 5, virtual=True, order_tells="max") if one.n == 65537}
    assert repeated == {"max"}
    with pytest.raises(GraderError, match="'mean' is not a variant of naive"):
        plan(TABLE, 5, virtual=True, order_tells="mean")


def test_a_lab_names_schedules_of_its_own() -> None:
    calls = [Scheduled("max", 4000, 7, [19, 23])]
    of_its_own = [(one.variant, one.n, one.seed, one.schedule) for one in plan(TABLE, 5, virtual=True, scheduled=calls)]
    assert {("max", 4000, 7, 19), ("max", 4000, 7, 23)} <= set(of_its_own)
    again = plan(TABLE, 5, virtual=True, scheduled=calls, only_n=4000, only_variant="max")
    assert [one.schedule for one in again[-2:]] == [19, 23]
    assert not any(one.n == 4000 for one in plan(TABLE, 5, virtual=False, scheduled=calls))
    with pytest.raises(GraderError, match="'mean' in `scheduled` is not a variant of naive"):
        plan(TABLE, 5, virtual=True, scheduled=[Scheduled("mean", 1, 0, [1])])


def test_schedules_of_every_kind_occur() -> None:
    """Only one number of repetition lets blocks start in another order than that of their index."""
    cases = [one for master in range(20) for one in plan(TABLE, master, virtual=True)]
    assert {one.schedule % SCHEDULE_KINDS for one in cases if one.repeat == 0} == {0, 1, 2, 3, 4, 6, 7}
    few = {one.schedule % SCHEDULE_KINDS for one in cases if one.repeat == 0 and one.n >= LARGE}
    assert few == {0, 1, 2, 3, SIXTEEN_RESIDENT}
    assert {one.schedule % SCHEDULE_KINDS for one in cases if one.repeat == 1} == {MANY_RESIDENT}
    assert max(one.n for one in cases if one.repeat) <= MANY_FIT
    assert rescheduled(cases[-1], 1).schedule % SCHEDULE_KINDS == SIXTEEN_RESIDENT
    assert {one.schedule % SCHEDULE_KINDS for one in cases if one.repeat == 2} == {ANY_ORDER}
    for master in range(20):
        repeats = {one.repeat for one in plan(TABLE, master, virtual=True)}
        assert repeats == {0, 1, 2}
    further = {rescheduled(cases[0], repeat).schedule % SCHEDULE_KINDS for repeat in range(3, 40)}
    assert further == {0, 1, 2, 3, 4, 6, 7}


def test_a_seed_reproduces_a_case() -> None:
    again = plan(TABLE, 5, virtual=True, only_n=1025, only_variant="max")
    before = [one for one in plan(TABLE, 5, virtual=True) if one.n == 1025 and one.variant == "max"]
    empty = [one for one in plan(TABLE, 5, virtual=True) if one.n == 0 and one.variant == "sum"]
    assert plan(TABLE, 5, virtual=False, only_n=0, only_variant="sum") == empty
    assert {one.seed % 4 for one in empty} == {0, 1, 2, 3}, "labs go through the shapes of empty inputs by them"
    assert before[0] in again
    assert rescheduled(before[0], 1) in again
    assert case(5, "naive", "max", 1025) != case(6, "naive", "max", 1025)
