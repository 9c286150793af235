"""The benchmark of the interpreter, on a small size."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.judge.oracles import Oracles
from bench.speed import measure

BUILD = Path(__file__).resolve().parents[3] / "build"


def test_a_task_is_measured_in_both_modes() -> None:
    if not (BUILD / "solution2").is_file():
        pytest.skip("nothing is built: make solutions")
    oracles = Oracles(BUILD)
    lab = next(lab for lab in oracles.labs if lab.number == 2)
    n = 1 << 14
    one = measure(BUILD, oracles, lab, next(task for task in lab.tasks if task.name == "sequential"), n, rounds=1)
    assert one.instructions > n // 32 * 8  # each warp of elements takes at least so many
    assert one.bounds > 0 and one.all > 0
