"""Calls in batches: which outputs are judged, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograder.judge.batch import Afterwards, Made, Prepared, outlasting
from autograder.judge.check import Checker
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Outcome
from autograder.plan.cases import case
from autograder.plan.tables import Array, ArraySpec, Shape
from autograder.run.protocol import Reply


class Oracle:
    """Accepts any output whose first element is not 9, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def check(self, *args: Any) -> Checked:
        self.asked += 1
        right = args[6][0][0] != 9
        return Checked(bool(right), [], [], counts=[3])


def made_of(output: Sequence[int], afterwards: Sequence[int] = (1, 2, 3), status: str = "ok") -> Made:
    spec = [ArraySpec("d_in", "int32", 3)]
    one = case(1, "naive", "", 3)
    arrays: list[Array] = [np.array(values, np.int32) for values in ((1, 2, 3), output, afterwards)]
    prepared = [Prepared(one, Shape(inputs=spec, outputs=spec), arrays[:1], [])]
    reply = Reply(status=status)  # type: ignore[arg-type]
    return Made(Outcome(one, reply), prepared, 0x91, [Afterwards(arrays[1:2], arrays[2:])])


@pytest.mark.parametrize(
    ("student", "reference", "asked", "right"),
    [
        (made_of([4, 5, 6]), made_of([4, 5, 6]), 0, True),
        (made_of([4, 5, 7]), made_of([4, 5, 6]), 1, True),  # both are right
        (made_of([9, 5, 6]), made_of([4, 5, 6]), 1, False),
        (made_of([4, 5, 6], afterwards=[1, 2, 4]), made_of([4, 5, 6]), 1, False),  # it has changed its input
        (made_of([4, 5, 6], status="cuda_error"), made_of([4, 5, 6]), 1, False),
    ],
)
def test_only_other_outputs_need_the_oracle(student: Made, reference: Made, asked: int, right: bool) -> None:
    oracle = Oracle()
    checker = Checker(oracle, 1)  # type: ignore[arg-type]
    assert checker.judge_beside(student, reference).ok == right
    assert oracle.asked == asked


def test_what_is_judged_later_is_what_was_there() -> None:
    checker = Checker(Oracle(), 1)  # type: ignore[arg-type]
    made = made_of([4, 5, 6])
    kept = outlasting(made.prepared[0], made.arrays[0])
    assert checker.judge_later(made).result().ok
    made.arrays[0].outputs[0][:] = 9  # by the runner's next call
    made.arrays[0].inputs[0][:] = 9
    assert checker.judge(replace(made, arrays=[kept])).ok
    changed = checker.judge_later(made_of([4, 5, 6], afterwards=[1, 2, 4])).result()
    assert changed.wrong and (changed.wrong.modified, changed.wrong.modified_at) == ("d_in", 2)
    assert changed.wrong.only_modified


class SmallTask(Oracle):
    """Of a task that takes at most five elements: asked for more, an oracle ends with an error."""

    def max_n(self, _lab: int, _task: str) -> int:
        return 5

    def shape(self, _lab: int, _task: str, _variant: str, n: int, _seed: int) -> Shape:
        assert n <= 5
        return Shape(inputs=[ArraySpec("d_in", "int32", n)], outputs=[])


def test_a_call_beyond_the_largest_n_of_its_task_does_not_fit() -> None:
    checker = Checker(SmallTask(), 1)  # type: ignore[arg-type]
    runner: Any = SimpleNamespace(shared=SimpleNamespace(size=1 << 20))
    assert [checker.fits(runner, case(1, "naive", "", n)) for n in (0, 5, 6, 20_000)] == [True, True, False, False]
