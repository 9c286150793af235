"""What ./grader watch knows: the task to begin with, the points so far, how long tasks took."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autograder.plan.manifest import load
from learn import messages
from learn.model import Model
from learn.page import doing, rows
from learn.state import LabState, TaskState
from learn.tests.support import make_lab, result, task


@pytest.fixture
def model(tmp_path: Path) -> Model:
    lab = make_lab(tmp_path)
    made = Model(tmp_path, lab, load(lab), LabState())
    made.saved(True)
    made.hear(messages.Built(0.1))
    return made


def graded(model: Model, *verdicts: str) -> None:
    tasks = [
        msgspec.structs.replace(task(name, verdict, 10.0 * (verdict == "AC")), seconds=1.5 + at)  # type: ignore[arg-type]
        for at, (name, verdict) in enumerate(zip(model.names, verdicts, strict=True))
    ]
    model.hear(messages.Began(model.names))
    for one in tasks:
        model.hear(messages.Finished(one))
    model.hear(messages.Graded(*result(model.folder, tasks), False))


@pytest.mark.parametrize(
    ("verdicts", "focus"),
    [(("AC", "SKIP"), "second"), (("AC", "AC"), "first"), (("SKIP", "SKIP"), "first"), (("SKIP", "WA"), "second")],
)
def test_it_begins_at_the_first_unfinished_task(model: Model, verdicts: tuple[str, str], focus: str) -> None:
    graded(model, *verdicts)
    assert model.focus == focus


def test_a_task_that_has_just_been_done_stays_in_focus(model: Model) -> None:
    graded(model, "WA", "SKIP")
    model.saved(True)
    graded(model, "AC", "SKIP")
    assert model.focus == "first"


def test_points_of_what_was_only_looked_at_are_those_of_the_run_before(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    model = Model(tmp_path, lab, load(lab), LabState({"first": TaskState("AC", 9.7, 9.7)}))
    model.saved(True)
    assert model.points() == 9.7
    model.hear(messages.Looked(task("second", "AC", 6.0), 2100))
    assert model.points() == 9.7
    model.hear(messages.Finished(task("second", "AC", 10.0)))
    assert model.points() == 19.7
    assert rows(model, 80)[-1].plain.strip() == "19.7 / 20 points"


@pytest.mark.parametrize("columns", [44, 60, 80, 120])
def test_rows_fit_and_say_how_long_a_task_took(model: Model, columns: int) -> None:
    graded(model, "AC", "WA")
    shown = [row.plain for row in rows(model, columns)]
    assert all(len(row) <= columns for row in shown)
    assert shown[0].endswith("1.5 s") == (columns >= 80)
    assert "(most of it: second)" in doing(model)
    assert len(doing(model, columns)) <= columns


def test_a_row_says_what_was_not_graded_again(model: Model) -> None:
    graded(model, "AC", "WA")
    kept = msgspec.structs.replace(task("first", "AC", 10.0), unchanged="10:32")
    model.hear(messages.Finished(kept))
    assert rows(model, 80)[0].plain.endswith("unchanged")
