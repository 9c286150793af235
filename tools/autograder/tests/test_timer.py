"""Second step of a task: it is timed beside the reference."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograder import timer
from autograder.explain.explanation import Explanation
from autograder.plan.cases import case
from autograder.tests.support import context_of, task_of
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

    steps = {name: ask(name, None) for name in ("prepare", "warm_up", "look_ahead")}
    pairs = SimpleNamespace(**steps, batches=None, quiet=None)
    stopped = Stopped(None, False)  # type: ignore[arg-type]
    monkeypatch.setattr(timer, "Pairs", lambda *_: pairs)
    monkeypatch.setattr(timer, "_bandwidth", ask("bandwidth", None))
    monkeypatch.setattr(timer, "measure_on_gpu", ask("measure", stopped))
    context: Any = SimpleNamespace(virtual=False, checker=None, turns=Watched())
    nobody: Any = None
    assert timer._measured(context, nobody, case(1, "naive", "", 1000), nobody, nobody) is stopped
    alone = ["timed"]
    assert asked == [
        ("prepare", []), ("warm_up", alone), ("look_ahead", []), ("bandwidth", alone), ("measure", alone),
    ]  # fmt: skip


def test_which_call_is_timed(tmp_path: Path) -> None:
    submission, table, entry = task_of(tmp_path, "good", evidence={"kernels": "launches <= 1"})

    def n_of(timed: bool = True, **settings: Any) -> tuple[int, int]:
        context = context_of(submission, timed=timed, **settings)
        found = timer.timed_case(context, table, entry), timer.counted_case(context, table, entry)
        return tuple(one.n if one else 0 for one in found)  # type: ignore[return-value]

    assert n_of() == (5000, 0)
    assert n_of(max_n=300) == (300, 0)
    assert n_of(n=300) == (0, 0)
    assert n_of(timed=False) == (0, 5000)  # its counters are wanted all the same


@pytest.mark.parametrize(("task", "verdict"), [("good", "AC"), ("lies", "AC"), ("second_block", "WA")])
def test_a_timed_call_is_judged_as_well(tmp_path: Path, task: str, verdict: str) -> None:
    submission, table, entry = task_of(tmp_path, task)
    context = context_of(submission)
    call = timer.timed_case(context, table, entry)
    assert call is not None
    with context.processes.started(submission.runner, [], call) as student:
        found = timer.time_task(context, entry, call, student, Explanation())
    assert found.verdict == verdict
    assert (found.time is not None) == (verdict == "AC")
    assert found.explanation.reason.startswith("in the timed call: ") == (verdict == "WA")
