"""A result that depends on the order of threads is found, however often two orders round to the same bits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from autograder.judge.calls import Ran
from autograder.judge.check import Checker
from autograder.judge.orders import INPUTS, ORDERS, in_orders, inputs_like, run_orders, telling
from autograder.judge.outcome import Outcome
from autograder.plan.cases import ANY_ORDER, SCHEDULE_KINDS, Case, case
from autograder.plan.tables import ArraySpec, Shape
from autograder.run.process import Runner
from autograder.run.protocol import Counters, KernelReport, Reply, Report

NO_RUNNER = cast(Runner, None)


@dataclass
class Orders:
    """A program's results: `rare` is the only one, by the number of the schedule, that differs.

    It differs only for inputs from number `exact` on: sums of the others are not rounded.
    """

    rare: int = -1
    exact: int = 0
    atomics: int = 1
    dtype: str = "float32"
    fails: int = -1
    larger: int = 0  # inputs, the first apart, for which there is no room
    calls: list[Case] = field(default_factory=list)

    def shape(self, one: Case) -> Shape:
        dtype = "int32" if one.variant == "count" else self.dtype
        return Shape([], [ArraySpec("d_out", dtype, 1)])

    def run(self, runner: Runner, one: Case, **how: Any) -> Outcome:
        self.calls.append(one)
        kernel = KernelReport("sum", total=Counters(atomics=self.atomics))
        status = "cuda_error" if one.repeat == self.fails else "ok"
        reply = Reply(status=cast(Any, status), report=Report(kernels=[kernel] if how.get("counters") else []))
        inputs = [other.seed for other in inputs_like(case(7, one.variant and "sum", one.variant, one.n))]
        rounds = one.seed in inputs and inputs.index(one.seed) >= self.exact
        return Outcome(one, reply, bits=b"other" if rounds and one.repeat == self.rare else b"same")

    def fits(self, runner: Runner, one: Case) -> bool:
        return one not in inputs_like(case(7, "sum", "sum", 1025))[INPUTS - self.larger :]

    def found(self, order_tells: str = "") -> Ran:
        first = [self.run(NO_RUNNER, case(7, "sum", v, n)) for v, n in (("count", 65537), ("sum", 33), ("sum", 1025))]
        self.calls.clear()
        return run_orders(cast(Checker, self), NO_RUNNER, Ran(tuple(first)), order_tells)


@pytest.mark.parametrize("rare", [4, 5, 3 + len(ORDERS)])
@pytest.mark.parametrize("exact", [0, INPUTS - 1])
def test_one_order_of_one_input_that_differs_is_enough(rare: int, exact: int) -> None:
    found = Orders(rare, exact).found()
    assert found.unstable is not None and found.unstable.case.repeat == rare
    assert (found.unstable.case.variant, found.unstable.case.n) == ("sum", 1025)


def test_the_same_bits_in_all_orders_are_right_and_leave_the_calls_as_they_were() -> None:
    program = Orders()
    assert program.found().unstable is None and len(program.calls) == 1 + INPUTS * (1 + len(ORDERS))
    assert len(program.found().outcomes) == 3


def test_an_input_of_another_seed_that_is_too_large_is_left_out() -> None:
    program = Orders(larger=2)
    assert program.found().unstable is None and len(program.calls) == 1 + (INPUTS - 2) * (1 + len(ORDERS))


@pytest.mark.parametrize("program", [Orders(4, atomics=0), Orders(4, dtype="int32")])
def test_without_atomics_or_floats_no_order_is_tried(program: Orders) -> None:
    assert program.found().unstable is None and len(program.calls) <= 1


def test_a_failure_in_another_order_is_a_failure() -> None:
    found = Orders(fails=5).found()
    assert found.unstable is None and [one.ok for one in found.outcomes][-1] is False


def test_the_lab_names_the_variant_that_tells() -> None:
    program = Orders()
    outcomes = [
        program.run(NO_RUNNER, case(7, "sum", v, n)) for v, n in (("max", 65537), ("sum", 1025), ("sum", 10**6))
    ]
    chosen = telling(cast(Checker, program), outcomes, "sum")
    assert chosen is not None and (chosen.case.variant, chosen.case.n) == ("sum", 1025)
    assert telling(cast(Checker, program), [replace(outcomes[0], bits=b"")], "sum") is None


def test_blocks_start_in_any_order_in_most_calls() -> None:
    first, *others = in_orders(case(7, "sum", "", 1025))
    kinds = [one.schedule % SCHEDULE_KINDS for one in others]
    assert first.schedule == 0 and kinds.count(ANY_ORDER) > len(kinds) / 2 and len(set(kinds)) > 1
    assert len({one.schedule for one in others}) == len(others)
    assert len({one.seed for one in inputs_like(first)}) == INPUTS
