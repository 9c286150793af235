"""Sizes that follow from a program's own launches, and calls after one that never ends."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import cast

import pytest

from autograder.judge.calls import run_all
from autograder.judge.check import Checker
from autograder.judge.edges import edges, fills_the_device, middles
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.run.budget import Budget
from autograder.run.process import Runner
from autograder.run.protocol import Finding, KernelReport, Reply, Report


def called(n: int, kernels: Iterable[KernelReport] = (), findings: Iterable[Finding] = ()) -> Outcome:
    return Outcome(Case("t", "v", n, 0, 0), Reply(status="ok", report=Report(1, [*findings], [*kernels])))


def launched(name: str, blocks: int, threads: int) -> KernelReport:
    return KernelReport(name, grid=(blocks, 1, 1), block=(threads, 1, 1))


def with_tile(tile: int, threads: int) -> list[Outcome]:
    return [called(n, [launched("k", -(-n // tile), threads)]) for n in (1, 1024, 65537, 1_000_003)]


def test_the_edges_of_a_tile() -> None:
    assert [n for _, n in edges(with_tile(10_240, 256))] == [10_239, 10_240, 10_241, 20_480]
    assert [n for _, n in edges(with_tile(1024, 256))] == [1023, 1025, 2048]  # 1024 was called
    assert {variant for variant, _ in edges(with_tile(1792, 256))} == {"v"}


def test_launches_that_tell_no_tile() -> None:
    assert edges([]) == edges([called(5)]) == []
    assert edges([called(n, [launched("k", 8, 256)]) for n in (1, 1024, 65537)]) == []  # as many as are resident
    assert edges(with_tile(1 << 20, 256)) == []  # all calls had one block


def test_a_tile_that_is_no_multiple_of_the_threads_is_found_by_halves() -> None:
    for tile in 300, 4191, 5000:
        outcomes = with_tile(tile, 128)
        for _ in range(12):
            for _, n in edges(outcomes) or middles(outcomes):
                outcomes.append(called(n, [launched("k", -(-n // tile), 128)]))
        assert {tile - 1, tile, tile + 1, 2 * tile} <= {one.case.n for one in outcomes}
        assert edges(outcomes) == middles(outcomes) == []


@pytest.mark.parametrize("tile", [16_384, 32_768])
def test_a_power_of_two_is_found_at_once(tile: int) -> None:
    outcomes = [called(n, [launched("k", -(-n // tile), 128)]) for n in (1, 8193, 65_535)]
    calls = []
    while found := middles(outcomes):
        calls += [n for _, n in found]
        outcomes.append(called(calls[-1], [launched("k", -(-calls[-1] // tile), 128)]))
    assert calls in ([tile], [tile + 1], [tile, tile + 1], [tile + 1, tile])


def test_a_grid_may_have_a_limit() -> None:
    sizes = 1, 1024, 65537, 1_000_003
    outcomes = [called(n, [launched("k", min(-(-n // 1000), 128), 250)]) for n in sizes]
    assert (1000, "v") in [(n, variant) for variant, n in edges(outcomes)]


def test_a_program_that_fills_the_device() -> None:
    grids = {1024: 4, 65537: 8, 1_000_003: 8}
    assert fills_the_device([called(n, [launched("k<int>", blocks, 256)]) for n, blocks in grids.items()])
    assert not fills_the_device(with_tile(1000, 250))
    assert not fills_the_device([called(n, [launched("k", 1, 256)]) for n in grids])  # one block does it all


def test_no_call_follows_one_that_never_ends() -> None:
    calls = []

    class Stuck:
        def run(self, runner: Runner, case: Case, *, checks: bool) -> Outcome:
            calls.append(case.n)
            return called(case.n, findings=[Finding("deadlock")] if case.n > 1 else [])

    planned = [Case("t", "", n, n, 0) for n in (1, 2, 3)]
    run_all(
        cast("Checker", Stuck()), cast("Runner", SimpleNamespace(budget=Budget(1, 1))), planned, True, lambda at: None
    )
    assert calls == [1, 2]
