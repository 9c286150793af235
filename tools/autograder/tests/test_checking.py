"""First step of a task: its calls are made and judged, and a fault of the reference is nobody's mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.checking import beside_reference, blame, check_on_wide, check_task, differing, plan_task
from autograder.context import Context
from autograder.errors import GraderError
from autograder.judge.outcome import Outcome
from autograder.plan.cases import case, empty_cases
from autograder.plan.tables import Shape
from autograder.submission import Judged
from autograder.tests.support import context_of, runner_script, task_of


def checked(folder: Path, name: str, reference: Path | None = None) -> tuple[Context, Judged]:
    submission, table, entry = task_of(folder, name, reference=reference)
    context = context_of(submission)
    planned = plan_task(context, table, entry)
    with context.processes.started(submission.runner, planned) as runner:
        return context, check_task(context, table, entry, planned, runner)


def outcome_of(context: Context, folder: Path, name: str, n: int) -> Outcome:
    with context.processes.started(context.submission.runner, [one := case(1, name, "", n)]) as runner:
        return context.checker.run(runner, one)


def test_a_plan_has_what_the_settings_ask_for(tmp_path: Path) -> None:
    submission, table, entry = task_of(tmp_path, "good")
    assert {one.n for one in plan_task(context_of(submission), table, entry)} > set(table.sizes)
    assert {one.n for one in plan_task(context_of(submission, n=7), table, entry)} == {7}
    assert max(one.n for one in plan_task(context_of(submission, max_n=256), table, entry)) <= 256


def test_an_empty_input_is_called_once_for_each_shape_and_variant() -> None:
    planned = [*empty_cases(4, "t", "a"), *empty_cases(4, "t", "b"), case(4, "t", "a", 1), case(4, "t", "a", 1)]
    two = differing(planned, lambda one: Shape([], [], scalars={"rows": one.seed % 2}))
    assert [(one.variant, one.n) for one in two] == [("a", 0), ("a", 0), ("b", 0), ("b", 0), ("a", 1), ("a", 1)]
    assert two[0].seed % 2 != two[1].seed % 2 and len(differing(planned, lambda one: Shape([], []))) == 4


@pytest.mark.parametrize(("task", "verdict"), [("good", "AC"), ("second_block", "WA"), ("skip", "SKIP")])
def test_a_task_has_its_verdict(tmp_path: Path, task: str, verdict: str) -> None:
    assert checked(tmp_path, task)[1].judgement.verdict == verdict


def test_what_the_reference_does_as_well_is_the_graders_fault(tmp_path: Path) -> None:
    """Both are the fake runner, which does what the task's name says."""
    wrong = tmp_path / "other"
    wrong.mkdir()
    with pytest.raises(GraderError, match="the reference solution fails as well at n = 257"):
        checked(tmp_path, "second_block", reference=runner_script(wrong))


def test_only_a_wrong_output_is_asked_about(tmp_path: Path) -> None:
    context = context_of(task_of(tmp_path, "second_block", reference=tmp_path / "none")[0])
    blame(context, outcome_of(context, tmp_path, "second_block", 256))  # right: the reference is not started
    context = context_of(task_of(tmp_path, "second_block")[0])
    blame(context, outcome_of(context, tmp_path, "second_block", 257))  # the reference is right there


def test_work_is_compared_only_where_time_was_up(tmp_path: Path) -> None:
    context = context_of(task_of(tmp_path, "second_block")[0])
    assert beside_reference(context, outcome_of(context, tmp_path, "second_block", 257)) == []


def test_a_task_whose_grid_has_no_limit_is_not_run_on_a_wider_device(tmp_path: Path) -> None:
    _, table, entry = task_of(tmp_path, "good")
    context, right = checked(tmp_path, "good")
    assert check_on_wide(context, table, entry, right) is right
