"""How long a process may take."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from autograder.run.death import Death
from autograder.run.machine import Machine
from autograder.run.memory import SharedMemory
from autograder.run.process import ProcessLimits, Runner
from autograder.run.protocol import Question, Reply


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
