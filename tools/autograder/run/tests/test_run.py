"""The device that is chosen, the memory that is shared, the text that is let through."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from autograder.cage import tree
from autograder.errors import GraderError, UsageError
from autograder.judge.check import Checker
from autograder.plan.cases import case
from autograder.plan.tables import ArraySpec, Shape
from autograder.run import death as deaths
from autograder.run import machine
from autograder.run.budget import HURRIED
from autograder.run.death import Death
from autograder.run.machine import Machine, chosen_device
from autograder.run.memory import SharedMemory, layout
from autograder.run.process import ProcessLimits, Runner
from autograder.run.protocol import Question, Reply
from autograder.sanitize import clean
from autograder.tests.support import FakeOracles


def test_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = tmp_path / "virtual_gpu/profiles"
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

    checker = Checker(Shrinking(), 6)
    small, large = (case(1, "replicated", "", n) for n in (1, 1000))
    room = checker.room([small, large])
    assert room == checker.room([small]) > checker.room([large])
    memory = SharedMemory(checker.room([large]))
    places, _ = layout(checker.shape(small))
    with pytest.raises(GraderError, match="d_in with 8,192 elements"):
        memory.put(places, [np.zeros(8192, np.int32)], 0x81)
    memory.close()


def test_waiting_for_a_processor_is_not_the_calls_time() -> None:
    code = f"import os\nos.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\nwhile True: pass"
    busy = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    try:
        time.sleep(0.8)
        assert sum(tree.waited(process.pid) for process in busy) > 0.3
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert tree.waited(busy[0].pid) == 0


def test_a_busy_machine_adds_time_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = SharedMemory(1)
    runner = Runner(Path("none"), Machine(("none",)), memory, ProcessLimits(10, 100))
    waited = 0.0
    monkeypatch.setattr(runner, "_waited", lambda: waited)
    now = time.monotonic()
    assert not runner._is_late(now + 5) and runner._is_late(now - 1)
    waited = 30.0
    assert not runner._is_late(now - 29) and runner._is_late(now - 31)
    waited = 1000.0
    assert runner._is_late(now - 41)
    memory.close()


def test_all_calls_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = SharedMemory(1)
    runner = Runner(Path("none"), Machine(("none",)), memory, ProcessLimits(10, 100, total_seconds=0.05))
    reply = Reply(status="ok")

    def answer(call: Question, seconds: float) -> Reply:
        time.sleep(0.03)
        return reply

    monkeypatch.setattr(runner, "start", lambda: None)
    monkeypatch.setattr(runner, "_ask", answer)
    question = Question(id="1", op="hello")
    assert [runner.call(question) for _ in range(2)] == [reply, reply]
    death = runner.call(question)
    assert isinstance(death, Death) and death.kind == "timeout" and "together" in death.reason
    memory.close()


def test_calls_after_a_failure_have_few_seconds_together(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = SharedMemory(1)
    runner = Runner(Path("none"), Machine(("none",)), memory, ProcessLimits(10, 100))
    reply = Reply(status="ok")
    given: list[float] = []

    def answer(call: Question, seconds: float) -> Reply | Death:
        given.append(seconds)
        if seconds < 0.2:
            return Death("timeout", "no answer")
        time.sleep(0.03)
        return reply

    monkeypatch.setattr(runner, "start", lambda: None)
    monkeypatch.setattr(runner, "_ask", answer)
    question = Question(id="1", op="hello")
    assert runner.call(question) is reply and given == [10]
    runner.hurry(0.22)
    assert runner.call(question) is reply and given[-1] == 0.22
    assert runner.call(question) is HURRIED and given[-1] < 0.2, "its time was not the lab's limit: it proves nothing"
    runner.hurry(1)
    assert runner.call(question) is reply and given[-1] > 1, "what is left is kept"
    memory.close()


def test_where_a_call_was_when_its_time_was_up() -> None:
    loop = "thread 0 of block 9 is in the loop `while (i < n)` at scan.cu:41: it compares 3 (growing) with 10"
    stopped = (
        "kernel k at scan.cu:42, thread 0 of block 9, after 310 million warp instructions; launch 1, made at scan.cu:60"
    )
    lines = [f"{deaths.SO_FAR}9 of 300 blocks had ended", f"{deaths.SO_FAR}{loop}", f"{deaths.STOPPED}{stopped}"]
    death = deaths.timeout(10, "\n".join(lines))
    assert death.where == "scan.cu:41"
    assert death.details == (loop, f"running when the time was up: {stopped}", "9 of 300 blocks had ended")
    assert (death.instructions, death.launches) == (310_000_000, 1)
    assert deaths.timeout(10, lines[2].replace("310 million", "4711")).instructions == 4711
    assert deaths.timeout(10, lines[0]) == Death("timeout", "no answer within 10 s")


def test_clean() -> None:
    assert clean("a\x1b[31mb\u202ec") == "a[31mbc"
    assert len(clean("x" * 5000)) == 2000


def test_the_device_process_of_a_submission_sees_no_solutions(tmp_path: Path) -> None:
    """It quotes lines of whatever file `#line` names."""
    for name in ("labs", "common", "solutions", "build/graded/lab3-1"):
        (tmp_path / name).mkdir(parents=True)
    build = tmp_path / "build"
    one = Machine((str(build / "device"),), source=tmp_path)
    theirs = one.device_room(build / "graded/lab3-1/scan").read
    assert {tmp_path / "labs", tmp_path / "common", build / "graded/lab3-1"} <= set(theirs)
    assert not any((tmp_path / "solutions").is_relative_to(path) for path in theirs)
    assert tmp_path / "solutions" in one.device_room(build / "solution3").read
