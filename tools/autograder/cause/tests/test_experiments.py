"""Which calls experiments make, with a program that does as it is told."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from autograder.cause.bench import least_seconds
from autograder.cause.change import SHAM, Change
from autograder.cause.cut_off import MOST_LOOKS, next_larger
from autograder.cause.experiments import DEATHS_EACH, REPEATS, Laboratory, Repair
from autograder.cause.fresh import BY_CHANCE, FRESH, LEAST_FRESH, fresh_cases
from autograder.cause.limits import MOST_STEPS
from autograder.cause.tried import Tried, is_too_soon, no_order_helps
from autograder.judge.batch import Prepared
from autograder.judge.check import Checker
from autograder.judge.judgement import Judgement
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Outcome, Wrong
from autograder.plan.cases import Case
from autograder.plan.tables import Shape
from autograder.run.death import Death
from autograder.run.process import Runner
from autograder.run.protocol import Counters, Finding, KernelReport, Place, Reply, Report

SHAPE = Shape([], [])
CASE = Case("scan", "", 6000, 1, 0)
REPAIRS, DIES, PASSES_ONCE, CLEARS = 1, 2, 3, 4  # numbers of changes; others do nothing
ELEMENTS, POISON = 8, 0x99  # of the output of a slow call, and what is there before
STEPS_EACH = 1 << 13  # what a slow call takes for an element without a change
RACE = Finding("race", place=Place("/x/scan.cu", 5), other_place=Place("/x/scan.cu", 5))


def wrong(case: Case, *findings: Finding, steps: int = 0) -> Outcome:
    mask = np.array([True])
    checked = Checked(False, [mask], [mask], [1])
    report = Report(findings=[*findings], kernels=scan_of(steps) if steps else [])
    return Outcome(case, Reply(status="ok", report=report), wrong=Wrong(SHAPE, [], [mask], checked, 0))


def scan_of(steps: int) -> list[KernelReport]:
    return [KernelReport("scan", total=Counters(instructions=steps))]


class Device:
    """Makes calls: of a checker and a runner, what experiments need."""

    def __init__(self, *findings: Finding) -> None:
        self.findings = findings
        self.made: Counter[int] = Counter()
        self.budget = self
        self.seconds = 0.0
        self.slow: Callable[[Case, int], Outcome] | None = None  # what a call does that takes more than so many steps
        self.long = 0  # calls whose seed is a multiple of it have far too much work; 0: none

    def prepare(self, cases: list[Case]) -> list[Prepared]:
        return [Prepared(one, SHAPE, [], []) for one in cases]

    def prepare_batches(self, batches: list[list[Case]]) -> list[list[Prepared]]:
        return [self.prepare(one) for one in batches]

    def fits(self, runner: Runner, case: Case) -> bool:
        return True

    def run(self, runner: Runner, case: Case, **how: Any) -> Outcome:
        return self.batch(runner, self.prepare([case]), **how)

    def batch(self, runner: Runner, prepared: list[Prepared], **how: Any) -> Outcome:
        change, case = how.get("change", 0), prepared[0].case
        self.made[change] += 1
        if change == DIES:
            return Outcome(case, death=Death("crash", "SIGSEGV"))
        if self.long and case != CASE and case.seed % self.long == 0:
            place = Place("/x/scan.cu", 3)
            return Outcome(case, Reply(status="cuda_error", report=Report(findings=[Finding("deadlock", place=place)])))
        if self.slow and case.n % 2:
            return self.slow(case, how["max_steps"]) if change == REPAIRS else wrong(case, steps=STEPS_EACH * case.n)
        is_repaired = change == REPAIRS or (change == PASSES_ONCE and case == CASE)
        if is_repaired or change == CLEARS:
            return wrong(case) if change == CLEARS else Outcome(case, Reply(status="ok", report=Report()))
        return wrong(case, *self.findings)

    def allow(self, seconds: float) -> None:
        self.seconds = seconds


def laboratory(*findings: Finding) -> tuple[Device, Laboratory]:
    device = Device(*findings)
    judgement = Judgement("WA", (), wrong(CASE, *findings))
    made = Laboratory(cast(Checker, device), cast(Runner, device), judgement, 1)
    assert made.reproduces()
    return device, made


def change(number: int, line: int = 5, region: int = 0) -> Change:
    return Change(number, "name", line, "a", "b", line, region)


def test_a_call_may_take_longer_than_the_one_that_fails() -> None:
    device, _ = laboratory()
    assert device.made[0] == REPEATS and device.seconds >= least_seconds()


def test_a_repair_is_compared_with_calls_without_it_and_a_failure_is_not() -> None:
    device, made = laboratory()
    (repair,) = made.repairs([change(REPAIRS, region=1)])
    assert repair.holds and repair.right >= LEAST_FRESH
    (other,) = made.repairs([change(PASSES_ONCE, region=2)])
    assert not other.holds and device.made[PASSES_ONCE] == 2
    assert device.made[PASSES_ONCE | SHAM] == 1  # of the failing call; the fresh ones are not made without it


def test_calls_with_far_too_much_work_do_not_decide() -> None:
    failed = tuple(wrong(replace(CASE, n=n)) for n in range(1, 20))
    device = Device()
    made = Laboratory(cast(Checker, device), cast(Runner, device), Judgement("WA", failed, wrong(CASE)), 1)
    assert made.reproduces()
    device.long = 5
    (repair,) = made.repairs([change(REPAIRS, region=1)])
    assert repair.holds and LEAST_FRESH <= repair.right < FRESH


EVEN, LONG = range(10, 38, 4), range(27, 35, 2)  # sizes of calls that are not slow, and of slow ones


def cut_off(case: Case, steps: int, written: int, wrong_ones: int = 0) -> Outcome:
    """A call that was cut off after so many steps: the first elements are written, some of them wrong."""
    output = np.full(ELEMENTS, POISON, np.uint8)
    output[:written] = 1
    mask = np.arange(ELEMENTS) >= written - wrong_ones
    report = Report(findings=[Finding("deadlock", place=Place("/x/scan.cu", 3))], kernels=scan_of(steps))
    its = Wrong(SHAPE, [], [output], Checked(False, [mask], [mask], [ELEMENTS]), POISON)
    return Outcome(case, Reply(status="cuda_error", report=report), wrong=its)


def with_slow_calls(slow: Callable[[Case, int], Outcome], *sizes: int) -> Repair:
    """What becomes of a change with which calls of an odd size are slow."""
    failed = tuple(wrong(replace(CASE, n=n)) for n in sizes)
    device = Device()
    made = Laboratory(cast(Checker, device), cast(Runner, device), Judgement("WA", failed, wrong(CASE)), 1)
    assert made.reproduces()
    device.slow = slow
    (repair,) = made.repairs([change(REPAIRS, region=1)])
    return repair


def test_a_call_that_is_cut_off_and_has_written_nothing_wrong_does_not_decide() -> None:
    repair = with_slow_calls(lambda case, steps: cut_off(case, steps + 9, 5), *EVEN, LONG[0])
    assert repair.holds and repair.of >= LEAST_FRESH


@pytest.mark.parametrize(
    ("slow", "sizes"),
    [
        (lambda case, steps: cut_off(case, steps, 5), (*EVEN, 11)),  # it takes far more than it did
        (lambda case, steps: cut_off(case, steps, 5), (*EVEN[3:], *LONG)),  # too many of them
        (lambda case, steps: cut_off(case, steps, 5, wrong_ones=1), (*EVEN, LONG[0])),
        (lambda case, steps: cut_off(case, steps // 2, 5), (*EVEN, LONG[0])),  # threads wait in vain
        (lambda case, steps: wrong(case), (*EVEN, LONG[0])),
    ],
)
def test_any_other_call_that_does_not_end_right_refutes(
    slow: Callable[[Case, int], Outcome], sizes: tuple[int, ...]
) -> None:
    assert not with_slow_calls(slow, *sizes).holds


class Outside(Device):
    """Where calls fail, they are ended by an access outside an array; a right one is cut off if it may not go on."""

    def batch(self, runner: Runner, prepared: list[Prepared], **how: Any) -> Outcome:
        outcome = super().batch(runner, prepared, **how)
        if outcome.ok and outcome.case == CASE and how["max_steps"] <= MOST_STEPS:
            return cut_off(CASE, how["max_steps"], 0)
        report = Report(findings=[Finding("out_of_bounds")])
        return outcome if outcome.ok else replace(outcome, reply=Reply(status="cuda_error", report=report))


def test_a_call_that_was_cut_off_goes_on_if_what_had_ended_it_is_gone() -> None:
    device = Outside()
    shown = device.run(cast(Runner, device), CASE)
    made = Laboratory(cast(Checker, device), cast(Runner, device), Judgement("RTE", (), shown), 1)
    assert made.reproduces()
    (repair,) = made.repairs([change(REPAIRS, region=1)])
    assert repair.holds
    assert not made.repairs([change(PASSES_ONCE, region=1)] * MOST_LOOKS)[0].holds
    assert not made.repairs([change(REPAIRS, region=1)])  # that is enough of them


def test_a_call_that_is_larger_than_all_short_ones_decides_as_well() -> None:
    one, several, more, two = ([Prepared(replace(CASE, n=n), SHAPE, [], [])] for n in (3, 513, 257, 2))
    assert next_larger([one, two], [one, several, more, two]) == [more]
    assert not next_larger([one, several], [one, several, more])


def test_where_the_largest_call_is_cut_off_nothing_is_proved() -> None:
    slow = with_slow_calls(lambda case, steps: cut_off(case, steps, 5), *EVEN, 35)
    assert not slow.holds and slow.right < slow.of


def test_where_changes_of_a_kind_have_died_in_a_line_no_more_are_tried() -> None:
    device, made = laboratory()
    made.repairs([change(DIES)] * (DEATHS_EACH + 3))
    assert device.made[DIES] == DEATHS_EACH
    made.repairs([change(DIES, line=6)])
    assert device.made[DIES] == DEATHS_EACH + 1


def test_what_fails_by_chance_must_be_right_in_many_schedules() -> None:
    judgement = Judgement("WA", (wrong(CASE),), wrong(CASE))
    usual = fresh_cases(judgement, CASE, 1)
    by_chance = fresh_cases(Judgement("WA", (wrong(CASE),), wrong(CASE), "by_chance"), CASE, 1)
    assert len(by_chance) >= len(usual) + BY_CHANCE - 1
    assert len({one.schedule for one in by_chance}) >= BY_CHANCE


def test_an_order_is_refuted_only_if_all_that_orders_was_tried_and_the_race_stayed() -> None:
    atomic, barrier, far = (Change(at, "atomic", line, "a", "b", line) for at, line in ((7, 5), (CLEARS, 5), (8, 9)))
    _, made = laboratory(RACE)
    shown = wrong(CASE, RACE)

    def is_refuted(*changes: Change) -> bool:
        return no_order_helps(shown, Tried(asked=changes, laboratory=made))

    assert not is_refuted(atomic, far)
    assert not made.repairs([atomic]) and is_refuted(atomic, far)
    assert not is_refuted(atomic, barrier)  # one was not tried
    assert not made.repairs([barrier])  # the result is still wrong
    assert not is_refuted(atomic, barrier)
    assert not no_order_helps(wrong(CASE), Tried(laboratory=made))


def test_an_array_is_not_too_small_before_a_guard_was_tried() -> None:
    outside = Finding("out_of_bounds", place=Place("/x/scan.cu", 5))
    larger, guard = Change(9, "array_size", 30, "n", "n + 1", 30), Change(10, "guard", 5, "", "if (i < n)", 5)
    _, made = laboratory(outside)
    tried = Tried(asked=(larger, guard), laboratory=made)
    chosen = Repair(larger, 14, 14)
    assert is_too_soon(chosen, tried, wrong(CASE, outside))
    made.repairs([guard])
    assert not is_too_soon(chosen, tried, wrong(CASE, outside)) and not is_too_soon(None, tried, wrong(CASE, outside))
