"""Checked on one device and timed on another. Here both are virtual: what is timed is the other profile's."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

from autograder import session
from autograder.cli import ROOT
from autograder.plan.labs import find
from autograder.plan.request import Request
from autograder.report.result import Result, TaskResult
from autograder.run import machine
from autograder.submission import Graded
from mistakes.catalog import find_mistake
from mistakes.generate import generate

pytestmark = pytest.mark.slow

LAB = find(ROOT, "1")


@pytest.fixture
def two_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    if not (ROOT / "build/solution1").is_file():
        pytest.skip("nothing is built: make solution1")
    monkeypatch.setattr(session, "gpu_answers", lambda: True)
    there = machine.machine

    def with_a_fast_one(root: Path, build: Path, wanted: str, sandbox: bool = True) -> machine.Machine:
        return there(root, build, "h200" if wanted == "gpu" else wanted, sandbox)

    monkeypatch.setattr(session, "machine", with_a_fast_one)


def graded(file: Path | None = None, **more: object) -> tuple[Result, list[TaskResult]]:
    told: list[TaskResult] = []
    request = Request(LAB, solution=file is None, file=file, seed=1, **more)  # type: ignore[arg-type]
    result, _ = session.grade(ROOT, request, finished=told.append)
    return result, told


@pytest.mark.parametrize("cores", [2, 16], ids=["one after the other", "side by side"])
def test_times_are_those_of_the_second_device(two_devices: None, monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    tasks = ["grid", "vectorized"]
    both, told = graded(tasks=tasks, max_n=1 << 18)
    checked, _ = graded(tasks=tasks, max_n=1 << 18, device="virtual")
    timed, _ = graded(tasks=tasks, max_n=1 << 18, device="h200")
    assert sorted(task.name for task in told) == tasks, "each result is told once"
    for at, task in enumerate(both.tasks):
        assert task.time and task.time.seconds == timed.tasks[at].time.seconds != checked.tasks[at].time.seconds  # type: ignore[union-attr]
        assert task.verdict == "AC" and task.clean and task.output == checked.tasks[at].output
        assert task.points == task.of
    assert both.device == f"{timed.device}, checked on the virtual GPU"


def test_what_is_wrong_is_not_timed(two_devices: None) -> None:
    mistake = find_mistake(LAB, "nan")
    result, told = graded(generate(mistake), tasks=[mistake.task], max_n=5000)
    assert [task.verdict for task in result.tasks] == ["WA"] == [task.verdict for task in told]
    assert result.tasks[0].time is None


def test_a_failure_is_repeated_where_it_was_seen(two_devices: None) -> None:
    mistake = find_mistake(LAB, "nan")
    result, _ = graded(generate(mistake), tasks=[mistake.task], max_n=5000)
    assert "--device" not in result.tasks[0].again
    again, _ = graded(generate(mistake), tasks=[mistake.task], n=1)
    assert again.device == result.device


@pytest.mark.parametrize("own", [True, False], ids=["own file", "somebody's file"])
def test_somebodys_file_is_timed_after_all_checks(monkeypatch: pytest.MonkeyPatch, own: bool) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    right = Graded(graded(tasks=["grid"], max_n=100, device="virtual")[0].tasks[0])
    quick: Future[Graded] = Future()
    slow: Future[Graded] = Future()
    quick.set_result(right)
    end = threading.Timer(1.0, lambda: slow.set_result(right))
    end.start()
    checks_over = []

    def timed(name: str, checked: Graded) -> Graded:
        checks_over.append(slow.done())
        return checked

    assert set(session.timed_as_well({"quick": quick, "slow": slow}, timed, own)) == {"quick", "slow"}
    assert checks_over == [not own, True]
