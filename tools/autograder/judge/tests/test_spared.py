"""Calls that can show nothing new are not made; all others are."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from autograder.judge.calls import Ran, run_all
from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome
from autograder.judge.spared import is_calm
from autograder.plan.cases import LARGE, MANY_RESIDENT, SCHEDULE_KINDS, Case, case
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


def test_a_busy_machine_leaves_no_call_unchecked() -> None:
    """Time counts as the runner's budget has it, without the waiting."""
    sizes = [case(at, "t", "v", MIDDLE + at) for at in range(40)]

    def unchecked(seconds_of_a_call: float, before: float = 0.0) -> int:
        program, budget = Program(), Budget(100, 1000)

        def run(runner: Runner, one: Case, *, checks: bool) -> Outcome:
            budget.after(None, 100, seconds_of_a_call)
            return program.run(runner, one, checks=checks)

        checker = cast(Checker, SimpleNamespace(run=run))
        ran = run_all(checker, cast(Runner, SimpleNamespace(budget=budget)), sizes, True, lambda at: None, before)
        return sum(not one.with_checks for one in ran.outcomes)

    assert unchecked(0.0) == 0 and 15 < unchecked(0.5) < 32 and unchecked(0.0, before=5.0) > 15
