"""The memory that grader and device process share."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.errors import GraderError
from autograder.judge.check import Checker
from autograder.plan.cases import case
from autograder.plan.tables import ArraySpec, Shape
from autograder.run.memory import SharedMemory, layout
from autograder.tests.support import FakeOracles


def test_the_shared_memory_has_room_for_every_case() -> None:
    class Shrinking(FakeOracles):
        def shape(self, lab: int, task: str, variant: str, n: int, seed: int) -> Shape:
            return Shape([ArraySpec("d_in", "int32", 8192 if n == 1 else n)], [])

    checker = Checker(Shrinking(), 6)
    small, large = (case(1, "replicated", "", n) for n in (1, 1000))
    room = checker.room([small, large])
    assert room == checker.room([small]) > checker.room([large])
    memory = SharedMemory(checker.room([large]))
    places, _ = layout(checker.shape(small))
    with pytest.raises(GraderError, match="d_in with 8,192 elements"):
        memory.put(places, [np.zeros(8192, np.int32)], 0x81)
    memory.close()
