"""Second step of a task: it is timed beside the reference."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from autograder import timer
from autograder.plan.cases import case
from autograder.timing.device_lock import Turns
from autograder.timing.measure import Stopped


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
