"""The time that all calls of a task have together."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from autograder.run.budget import HURRIED
from autograder.run.death import Death
from autograder.run.machine import Machine
from autograder.run.memory import SharedMemory
from autograder.run.process import ProcessLimits, Runner
from autograder.run.protocol import Question, Reply


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
    runner.budget.hurry(0.22)
    assert runner.call(question) is reply and given[-1] == 0.22
    assert runner.call(question) is HURRIED and given[-1] < 0.2, "its time was not the lab's limit: it proves nothing"
    runner.budget.hurry(1)
    assert runner.call(question) is reply and given[-1] > 1, "what is left is kept"
    memory.close()
