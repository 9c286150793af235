"""On a GPU: who is asked for what, in which order, and for how many calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from autograder.errors import GraderError
from autograder.judge.check import Prepared
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case, case
from autograder.plan.tables import Shape
from autograder.run.death import Death
from autograder.run.protocol import Reply
from autograder.timing.pairs import MOST_CALLS, MOST_SHARED, Pairs, calls_in_a_breath

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

    def prepared(self, cases: Sequence[Case]) -> list[Prepared]:
        self.seeds += [one.seed for one in cases]
        return [Prepared(one, Shape(inputs=[], outputs=[]), [], []) for one in cases]

    def room(self, cases: Sequence[Case]) -> int:
        return 1 << 20

    def breath(self, runner: Side, prepared: Sequence[Prepared], **how: Any) -> Outcome:
        what = f"{runner.name} {'nothing' if how.get('nothing') else len(prepared)}"
        self.events.append(what)
        if what == self.fails:
            return Outcome(prepared[0].case, death=Death("crash", "gone"))
        seconds = OVERHEAD + (0 if how.get("nothing") else self.one_call * len(prepared))
        return Outcome(prepared[0].case, Reply(status="ok", seconds=seconds), seconds=seconds)

    def pairs(self) -> Pairs:
        return Pairs(self, self.student, self.reference, case(1, "naive", "", 1 << 24))  # type: ignore[arg-type]


class Side:
    def __init__(self, asked: Asked, name: str) -> None:
        self.name = name
        for what in ("pause", "go_on", "close"):
            setattr(self, what, lambda what=what: asked.events.append(f"{name} {what}"))


def test_the_student_is_stopped_while_the_reference_is_measured() -> None:
    asked = Asked(40e-6)
    pairs = asked.pairs()
    first = pairs.breaths(0)
    assert asked.events[:4] == ["student 1", "reference 1", "reference 1", "reference nothing"]
    assert asked.events[4:] == [
        "student 4", "student pause", "reference nothing", "reference 4", "student go_on",
    ]  # fmt: skip
    assert first.calls == 4 and first.nothing.seconds == OVERHEAD
    del asked.events[:]
    pairs.breaths(1)
    assert asked.events[0] == "student 4"
    assert len(set(asked.seeds)) == len(asked.seeds) == 2 + 4 + 4, "nobody gets an input twice"
    del asked.events[:]
    assert pairs.quiet() == OVERHEAD
    assert asked.events == ["student close", *["reference nothing"] * 5]


@pytest.mark.parametrize(("one_call", "calls"), [(1e-9, MOST_CALLS), (90e-6, 3), (290e-6, 1), (1.0, 1)])
def test_a_breath_is_long_enough_to_be_measured(one_call: float, calls: int) -> None:
    assert Asked(one_call).pairs().breaths(0).calls == calls


def test_a_breath_fits_into_memory() -> None:
    assert [calls_in_a_breath(room) for room in (1, MOST_SHARED // 3, MOST_SHARED, 2 * MOST_SHARED)] == [
        MOST_CALLS, 3, 1, 1,
    ]  # fmt: skip


def test_a_death_in_the_warm_up_is_the_outcome() -> None:
    asked = Asked(40e-6, fails="student 1")
    assert not asked.pairs().breaths(0).student.ok
    assert asked.events == ["student 1", "reference 1"]
    with pytest.raises(GraderError, match="the reference solution fails"):
        Asked(40e-6, fails="reference nothing").pairs().breaths(0)
