"""Solutions, skeletons and the mistakes of every lab get the verdicts that they must."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.build.builder import Builder
from autograder.cli import ROOT
from autograder.errors import CompileError
from autograder.plan.request import Request
from autograder.session import grade
from mistakes import conformance
from mistakes.catalog import all_mistakes, find_mistake
from mistakes.chosen import chosen_mistakes
from mistakes.conformance import Submission, submissions
from mistakes.generate import generate
from mistakes.tests.conftest import marked

ALL = submissions(ROOT)
CHOSEN = chosen_mistakes([one.mistake for one in ALL if one.mistake])


def is_chosen(one: Submission) -> bool:
    return one.mistake is None or one.mistake.title in CHOSEN


@pytest.mark.slow
@pytest.mark.parametrize("submission", marked(ALL, is_chosen, lambda one: one.name))
def test_submission(submission: Submission, built: Callable[[Path], None]) -> None:
    built(submission.folder)
    told = conformance.run(submission, ROOT)
    assert not told, told


@pytest.mark.slow
@pytest.mark.skipif(not ALL, reason="no lab is here yet")
def test_a_reference_that_is_wrong_is_the_graders_fault() -> None:
    wrong = next(mistake for mistake in all_mistakes(ROOT) if list(mistake.verdicts) == ["WA"])
    runner = Builder(ROOT).file(int(wrong.lab.name[:2]), generate(wrong), partial=True)
    request = Request(wrong.lab, solution=True, tasks=[wrong.task], reference=runner, seed=1, max_n=5000)
    result, _ = grade(ROOT, request)
    assert result.tasks[0].verdict == "IE", result.tasks[0].reason
    assert "the reference solution fails" in result.tasks[0].reason
    assert result.exit_status == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one_buffer", "zero_for_identity"])  # a plain function, a template
def test_tasks_that_a_mistake_leaves_out_are_not_started(name: str) -> None:
    mistake = find_mistake(ROOT / "labs" / "03-scan", name)
    result, _ = grade(ROOT, Request(mistake.lab, file=generate(mistake), max_n=2000, timed=False, seed=1))
    started = [task.name for task in result.tasks if task.verdict != "SKIP"]
    assert started == [mistake.task], [(task.name, task.verdict) for task in result.tasks]


@pytest.mark.slow
@pytest.mark.parametrize("task", ["hillis_steele", "block_sums"])
def test_a_student_who_leaves_a_task_out_is_told(task: str, tmp_path: Path) -> None:
    lab = ROOT / "labs" / "03-scan"
    student = tmp_path / "scan.cu"
    student.write_text((lab / "scan.cu").read_text("utf-8").replace(task, "another"), "utf-8")
    with pytest.raises(CompileError, match="is not defined"):
        grade(ROOT, Request(lab, file=student))


@pytest.mark.slow
@pytest.mark.skipif(len({one.folder for one in ALL}) < 3, reason="not all labs are here yet")
def test_every_verdict_is_shown_by_some_submission() -> None:
    mistakes = all_mistakes(ROOT)
    verdicts = {verdict for mistake in mistakes for verdict in mistake.verdicts}
    assert verdicts >= {"WA", "SLOW", "CE", "RTE", "CHECK", "TLE", "MLE"}
