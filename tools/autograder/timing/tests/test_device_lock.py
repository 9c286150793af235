"""Tasks are checked side by side and timed alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from types import SimpleNamespace
from typing import Any

import pytest

from autograder import timer
from autograder.plan.cases import case
from autograder.timing.device_lock import Turns
from autograder.timing.measure import Stopped

SECONDS = 10.0  # after which a test that waits for ever fails


def test_who_is_timed_is_alone() -> None:
    turns, together, go_on, order = Turns(), Barrier(3), Event(), list[str]()

    def check() -> None:
        with turns.to_check():
            together.wait(SECONDS)
            assert go_on.wait(SECONDS)
            order.append("checked")

    def time() -> None:
        with turns.to_time():
            order.append("begun")
            Event().wait(0.01)
            order.append("timed")

    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(check), pool.submit(check)]
        together.wait(SECONDS)  # both are there
        tasks += [pool.submit(time), pool.submit(time)]
        go_on.set()
        for task in tasks:
            task.result(SECONDS)
    assert order == ["checked", "checked", "begun", "timed", "begun", "timed"]


def test_a_turn_ends_with_an_error() -> None:
    turns = Turns()
    for turn in (turns.to_time, turns.to_check, turns.to_time):
        with contextlib.suppress(ValueError), turn():
            raise ValueError
    with turns.to_time():
        pass


def test_the_reference_is_asked_only_by_who_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tasks that are timed share its process on a GPU: two at once would get each other's answers."""
    inside: list[str] = []
    asked: list[tuple[str, list[str]]] = []

    class Watched(Turns):
        @contextlib.contextmanager
        def to_time(self) -> Iterator[None]:
            inside.append("timed")
            yield
            inside.pop()

    def ask(what: str, result: Any) -> Any:
        def answer(*_: Any) -> Any:
            asked.append((what, list(inside)))
            return result

        return answer

    pairs = SimpleNamespace(prepare=ask("prepare", None), batches=None, quiet=None)
    stopped = Stopped(None, False)  # type: ignore[arg-type]
    monkeypatch.setattr(timer, "Pairs", lambda *_: pairs)
    monkeypatch.setattr(timer, "_bandwidth", ask("bandwidth", None))
    monkeypatch.setattr(timer, "measure_on_gpu", ask("measure", stopped))
    means: Any = SimpleNamespace(virtual=False, checker=None, turns=Watched())
    nobody: Any = None
    assert timer._measured(means, nobody, case(1, "naive", "", 1000), nobody, nobody) is stopped
    assert asked == [("prepare", []), ("bandwidth", ["timed"]), ("measure", ["timed"])]
