"""The device that is chosen, the memory that is shared, the text that is let through."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from autograder.errors import GraderError, UsageError
from autograder.judge.check import Checker
from autograder.plain import clean
from autograder.plan.cases import case
from autograder.plan.tables import ArraySpec, Shape
from autograder.run import machine
from autograder.run.death import Death
from autograder.run.machine import chosen_device
from autograder.run.memory import SharedMemory, layout
from autograder.tests.support import FakeOracles


def test_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = tmp_path / "common/virtual_gpu/profiles"
    profiles.mkdir(parents=True)
    for name in ("h200", "teaching"):
        (profiles / f"{name}.toml").touch()
    monkeypatch.setattr(machine, "gpu_answers", lambda: False)
    for wanted in ("", "virtual", "h200"):
        assert chosen_device(tmp_path, wanted) == wanted
    monkeypatch.chdir(profiles)
    assert chosen_device(tmp_path, "h200.toml") == str(profiles / "h200.toml")
    with pytest.raises(UsageError, match=r"unknown device; choose from: gpu .*, virtual, h200, teaching"):
        chosen_device(tmp_path, "foo")
    with pytest.raises(UsageError, match="this machine has no working NVIDIA GPU; choose from: virtual, h200"):
        chosen_device(tmp_path, "gpu")
    monkeypatch.setattr(machine, "gpu_answers", lambda: True)
    assert chosen_device(tmp_path, "gpu") == "gpu"


def test_the_shared_memory_has_room_for_every_case() -> None:
    class Shrinking(FakeOracles):
        def shape(self, lab: int, task: str, variant: str, n: int, seed: int) -> Shape:
            return Shape([ArraySpec("d_in", "int32", 8192 if n == 1 else n)], [])

    checker = Checker(Shrinking(), 6, time.monotonic, nullcontext())
    small, large = (case(1, "replicated", "", n) for n in (1, 1000))
    room = checker.room([small, large])
    assert room == checker.room([small]) > checker.room([large])
    memory = SharedMemory(checker.room([large]))
    places, _ = layout(checker.shape(small))
    with pytest.raises(GraderError, match="d_in with 8,192 elements"):
        memory.put(places, [np.zeros(8192, np.int32)], 0x81)
    memory.close()


def test_clean() -> None:
    assert clean("a\x1b[31mb\u202ec") == "a[31mbc"
    assert len(clean("x" * 5000)) == 2000
    assert Death("crash", "x").kind == "crash"
