"""Calls that can show nothing new are not made; all others are."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from autograder.judge.calls import FEW, Ran, run_all
from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome, Wrong
from autograder.judge.spared import is_calm
from autograder.plan.cases import LARGE, MANY_RESIDENT, SCHEDULE_KINDS, SCHEDULES, Case, case
from autograder.run.budget import Budget
from autograder.run.process import Runner
from autograder.run.protocol import Finding, KernelReport, Reply, Report

SMALL, MIDDLE, HUGE = 100, LARGE, 1_000_003
MANY = SCHEDULE_KINDS + MANY_RESIDENT


class Program:
    """Says of its kernel that it does the same in every schedule, up to this size."""

    def __init__(self, free_below: int = 1 << 40, finding: str = "", is_note: bool = False) -> None:
        self.calls: list[Case] = []
        self._free_below, self._finding, self._is_note = free_below, finding, is_note

    def run(self, runner: Runner, case: Case, *, checks: bool) -> Outcome:
        self.calls.append(case)
        kernels = [KernelReport("k", order_free=case.n < self._free_below)]
        findings = [Finding(kind=cast(Any, self._finding), is_note=self._is_note)] if self._finding else []
        return Outcome(case, Reply(status="ok", report=Report(1, findings, kernels)), with_checks=checks)

    def ran(self, planned: list[Case]) -> Ran:
        runner = cast(Runner, SimpleNamespace(budget=Budget(1, 1)))
        return run_all(cast(Checker, self), runner, planned, True, lambda at: None)


def planned(*sizes: int) -> list[Case]:
    """Each size in two schedules, the second with many resident blocks."""
    return [Case("t", "v", n, n, 1 if repeat == 0 else MANY, repeat=repeat) for n in sizes for repeat in (0, 1)]


def test_an_input_is_called_once_if_no_schedule_makes_a_difference() -> None:
    program = Program()
    ran = program.ran(planned(SMALL, MIDDLE, HUGE))
    assert [(one.n, one.repeat) for one in program.calls] == [(SMALL, 0), (MIDDLE, 0), (HUGE, 0)]
    assert ran.spared == 3 and len(ran.outcomes) + ran.spared == 6


@pytest.mark.parametrize("program", [Program(0), Program(finding="race"), Program(finding="overflow", is_note=True)])
def test_all_schedules_are_tried_where_one_may_differ_or_something_was_found(program: Program) -> None:
    ran = program.ran(planned(SMALL, MIDDLE, HUGE))
    assert program.calls == planned(SMALL, MIDDLE, HUGE) and ran.spared == 0


def test_a_kernel_for_large_inputs_is_called_as_it_was_planned() -> None:
    program = Program(free_below=HUGE)
    ran = program.ran(planned(SMALL, HUGE))
    assert [(one.n, one.repeat) for one in program.calls] == [(SMALL, 0), (HUGE, 0), (HUGE, 1)] and ran.spared == 1


def test_calm_asks_for_a_check_and_for_every_kernel() -> None:
    calm, restless = Program().ran(planned(SMALL)).outcomes, Program(0).ran(planned(SMALL)).outcomes
    assert is_calm(calm) and not is_calm([*calm, *restless]) and not is_calm([])
    assert not is_calm([replace(one, with_checks=False) for one in calm])


@pytest.mark.parametrize("names", [["k<int>", "k<float>"], ["k", "l"]])
def test_each_kernel_is_checked_in_a_call_with_many_elements_and_few_others_are(names: list[str]) -> None:
    sizes = [case(at, "t", "v", MIDDLE + at) for at in range(60)]
    program = Program()

    def run(runner: Runner, one: Case, *, checks: bool) -> Outcome:
        kernels = [KernelReport(names[one.n > MIDDLE + 30], order_free=True)]
        return replace(program.run(runner, one, checks=checks), reply=Reply(status="ok", report=Report(1, [], kernels)))

    ran = run_all(cast(Checker, SimpleNamespace(run=run)), cast(Runner, None), sizes, True, lambda at: None)
    checked = [one.case.n - MIDDLE for one in ran.outcomes if one.with_checks]
    assert checked[0] == 0 and 3 < len(checked) < 20
    assert 31 in checked or names[1] != "l"
    assert len(ran.outcomes) == 60


def test_few_elements_and_what_a_lab_asks_for_are_checked_in_every_call() -> None:
    small = [case(at, "t", "v", FEW - 1 - at) for at in range(40)]
    asked = [replace(case(at, "t", "v", HUGE), repeat=SCHEDULES + 1) for at in range(40)]
    assert all(one.with_checks for one in Program(0).ran([*small, *asked]).outcomes)


def test_a_failure_that_was_not_checked_is_called_again_for_what_the_checks_see() -> None:
    program = Program()

    def run(runner: Runner, one: Case, *, checks: bool) -> Outcome:
        outcome = program.run(runner, one, checks=checks)
        return replace(outcome, wrong=cast(Wrong, "wrong")) if one.n > MIDDLE else outcome

    sizes = [case(at, "t", "v", MIDDLE + at) for at in range(20)]
    ran = run_all(
        cast(Checker, SimpleNamespace(run=run)),
        cast(Runner, SimpleNamespace(budget=Budget(1, 1))),
        sizes,
        True,
        lambda at: None,
    )
    assert all(one.with_checks for one in ran.outcomes) and len(program.calls) > 30
