"""Who is asked for what, in which order, and for how many calls; mostly on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest

from autograder.errors import GraderError
from autograder.judge.batch import Made, Prepared
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case, case
from autograder.plan.tables import Shape
from autograder.run.death import Death
from autograder.run.protocol import Reply
from autograder.timing.measure import FEW_PAIRS
from autograder.timing.pairs import MOST_CALLS, MOST_SHARED, Pairs, calls_in_a_batch

OVERHEAD = 6e-4


class Asked:
    """A grader's two runners and its checker in one, which writes down what happens."""

    def __init__(self, one_call: float, fails: str = "") -> None:
        self.one_call = one_call
        self.fails = fails
        self.events: list[str] = []
        self.seeds: list[int] = []
        self.student = Side(self, "student")
        self.reference = Side(self, "reference")

    def prepare(self, cases: Sequence[Case]) -> list[Prepared]:
        self.seeds += [one.seed for one in cases]
        return self.place(cases)

    def fits(self, runner: Side, one: Case) -> bool:
        return True

    def place(self, cases: Sequence[Case]) -> list[Prepared]:
        return [Prepared(one, Shape(inputs=[], outputs=[]), [], []) for one in cases]

    def prepare_batches(self, batches: Sequence[Sequence[Case]]) -> list[list[Prepared]]:
        return [self.prepare(cases) for cases in batches]

    def make(self, runner: Side, prepared: Sequence[Prepared], like: Made | None = None, timed: bool = True) -> Made:
        return Made(self.batch(runner, prepared), prepared, 0)

    def judge(self, made: Made) -> Outcome:
        if self.fails == "oracle":
            return replace(made.outcome, reply=None)
        return made.outcome

    def are_alike(self, made: Made, right: Made) -> bool:
        return made.outcome.ok and right.outcome.ok

    def judge_later(self, made: Made) -> Future[Outcome]:
        later: Future[Outcome] = Future()
        later.set_result(self.judge(made))
        return later

    def judge_beside(self, made: Made, right: Made) -> Outcome:
        return made.outcome

    def input_bytes(self, one: Case) -> int:
        return 1 << 20

    def room(self, cases: Sequence[Case]) -> int:
        return 1 << 20

    def batch(self, runner: Side, prepared: Sequence[Prepared], **how: Any) -> Outcome:
        what = f"{runner.name} {'nothing' if how.get('nothing') else len(prepared)}"
        self.events.append(what)
        if what == self.fails or f"{self.events.count(what)} times {what}" == self.fails:
            return Outcome(prepared[0].case, death=Death("crash", "gone"))
        seconds = OVERHEAD + (0 if how.get("nothing") else self.one_call * len(prepared))
        return Outcome(prepared[0].case, Reply(status="ok", seconds=seconds), seconds=seconds)

    def warm(self) -> Pairs:
        pairs = self.pairs()
        pairs.warm_up()
        return pairs

    def pairs(self) -> Pairs:
        return Pairs(self, self.student, self.reference, case(1, "naive", "", 1 << 24))  # type: ignore[arg-type]


class Side:
    def __init__(self, asked: Asked, name: str) -> None:
        self.name = name
        for what in ("pause", "go_on", "close"):
            setattr(self, what, lambda what=what: asked.events.append(f"{name} {what}"))


def test_the_student_is_stopped_while_the_reference_is_measured() -> None:
    asked = Asked(40e-6)
    pairs = asked.warm()
    pairs.look_ahead()
    first = pairs.batches(0)
    assert asked.events[:4] == ["student 1", "reference 1", "reference 1", "reference nothing"]
    assert set(asked.events[4:6]) == {"student nothing", "reference nothing"}  # side by side
    assert asked.events[6:] == [
        "student 1", "student 8", "student pause", "reference nothing", "reference 1", "reference 8", "student go_on",
    ]  # fmt: skip
    assert first.calls == 8 and first.nothing.seconds == OVERHEAD
    del asked.events[:]
    pairs.batches(1)
    assert asked.events[:2] == ["student 1", "student 8"]
    assert len(set(asked.seeds)) == len(asked.seeds) == 1 + 8 * FEW_PAIRS, "no student gets a timed input twice"
    del asked.events[:]
    assert pairs.quiet() == OVERHEAD
    assert asked.events == ["student close", *["reference nothing"] * 5]
    assert pairs.confirmed() is None


@pytest.mark.parametrize(("one_call", "calls"), [(1e-9, MOST_CALLS), (90e-6, 3), (290e-6, 1), (1.0, 1)])
def test_a_batch_is_long_enough_to_be_measured(one_call: float, calls: int) -> None:
    assert Asked(one_call).warm().batches(0).calls == calls


def test_a_long_call_needs_none_before_it() -> None:
    asked = Asked(0.1)
    asked.warm().batches(0)
    assert asked.events[4:] == [
        "student 1", "student pause", "reference nothing", "reference 1", "student go_on",
    ]  # fmt: skip


def test_a_batch_fits_into_memory() -> None:
    assert [calls_in_a_batch(room) for room in (1, MOST_SHARED // 3, MOST_SHARED, 2 * MOST_SHARED)] == [
        MOST_CALLS, 3, 1, 1,
    ]  # fmt: skip


def test_a_death_in_the_warm_up_is_the_outcome() -> None:
    asked = Asked(40e-6, fails="student 1")
    assert not asked.warm().batches(0).student.ok
    assert asked.events == ["student 1", "reference 1"]
    with pytest.raises(GraderError, match="the reference solution fails"):
        Asked(40e-6, fails="reference nothing").warm().batches(0)


def test_a_call_before_the_timed_ones_may_not_fail_either() -> None:
    asked = Asked(40e-6, fails="2 times student 1")
    one = asked.warm().batches(0)
    assert one.reference.ok and one.student.death


def test_the_reference_is_judged_last() -> None:
    asked = Asked(40e-6, fails="oracle")
    pairs = asked.warm()
    assert pairs.batches(0).student.ok
    stopped = pairs.confirmed()
    assert stopped and stopped.is_reference and not stopped.outcome.ok


def test_on_the_virtual_gpu_the_reference_is_woken_by_a_small_call() -> None:
    asked = Asked(1e-3)
    pairs = asked.pairs()
    assert all(outcome.ok for at in range(2) for outcome in pairs.modelled(at))
    assert asked.events == ["reference 1", "student 1", *["student 1", "reference 1"] * 2]
    assert len(set(asked.seeds)) == 4
    student, reference = Asked(1e-3, fails="reference 1").pairs().modelled(0)
    assert student.ok and reference.death
    student, reference = Asked(1e-3, fails="student 1").pairs().modelled(0)
    assert student.death and reference.ok


def test_a_reference_that_is_graded_is_called_once() -> None:
    asked = Asked(1e-3)
    asked.reference = asked.student
    student, reference = asked.pairs().modelled(0)
    assert student is reference and student.ok and asked.events == ["student 1"] * 3
