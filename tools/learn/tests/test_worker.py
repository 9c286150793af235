"""The grading process on a real lab: what it says, in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import CompileError, GraderError, UsageError
from autograder.plan.request import Request
from learn import messages, worker
from learn.messages import Order
from learn.tests.support import TASKS, make_lab, result, task
from tests.test_docs import ROOT


@pytest.mark.slow
def test_it_builds_looks_and_grades() -> None:
    said: list[messages.Message] = []
    names = ["grid", "one_block", "grid_stride", "vectorized"]
    worker.obey(ROOT, Order("01-square", names), said.append)
    said = [one for one in said if not isinstance(one, messages.Part)]
    kinds = [type(one).__name__ for one in said]
    assert kinds == ["Built", *["Looked"] * 4, "Began", *["Finished"] * 4, "Graded"]
    began, graded = said[5], said[-1]
    assert isinstance(began, messages.Began)
    assert isinstance(graded, messages.Graded)
    assert began.tasks == [one.name for one in graded.result.tasks] == sorted(names, key=began.tasks.index)
    assert {one.verdict for one in graded.result.tasks} == {"SKIP"}


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (CompileError("add.cu(1): error", "add.cu:1", "expected"), messages.NotBuilt),
        (UsageError("no such device"), messages.Failed),
        (GraderError("no oracle"), messages.Failed),
        (KeyError("a fault of its own"), messages.Failed),
    ],
)
def test_whatever_goes_wrong_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, says: type
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(worker, "_obey", broken)
    said: list[messages.Message] = []
    worker.obey(tmp_path, Order("01-add"), said.append)
    assert [type(one) for one in said] == [says]


def test_a_wrong_task_is_graded_first_and_the_run_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = make_lab(tmp_path)
    requests: list[Request] = []

    class Builder:
        def __init__(self, root: Path, sandbox: bool) -> None: ...

        def lab(self, number: int, solution: bool) -> Path:
            return tmp_path / "lab1"

    def graded(root: Path, request: Request, *_: object, finished: object = None) -> object:
        requests.append(request)
        tasks = [task(TASKS[0], "AC", 10), task(TASKS[1], "WA")]
        if callable(finished):
            for one in tasks:
                finished(one)
        return result(lab, tasks)

    monkeypatch.setattr(worker, "Builder", Builder)
    monkeypatch.setattr(worker, "warnings_of", lambda *_: ())
    monkeypatch.setattr(worker, "grade", graded)
    said: list[messages.Message] = []
    worker.obey(tmp_path, Order("01-add", list(TASKS)), said.append)
    assert [type(one).__name__ for one in said] == ["Built", "Looked", "Looked", "Graded"]
    look, full = requests
    assert (look.tasks, look.max_n, look.timed) == (list(TASKS), worker.LOOK_N, False)
    assert (full.tasks, full.max_n, full.timed, full.first) == ((), None, True, "second")
    assert look.seed == full.seed
    assert "points = 10" in (lab / "progress.toml").read_text()
