"""The sheets of all labs: questions, answers, exams and their code; and, with the runs, every figure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from answers import sheets
from answers.calls import Lab
from answers.code import MARK
from autograder.plan.labs import folders
from tests.test_docs import ROOT, files

LABS = list(folders(ROOT).values())
NAMES = [lab.name for lab in LABS]
RENEW = "tools/author answers {} --write renews figures, questions and code"


@pytest.mark.parametrize("lab", LABS, ids=NAMES)
def test_every_question_has_an_answer_and_every_answer_a_question(lab: Path) -> None:
    answers, _ = sheets.sheets(ROOT, lab)
    told = [problem.told(ROOT) for problem in sheets.check_answers(answers, lab)]
    assert not told, RENEW.format(int(lab.name[:2]))


@pytest.mark.parametrize("lab", LABS, ids=NAMES)
def test_the_exam_shows_the_mistakes_as_they_are(lab: Path) -> None:
    _, exam = sheets.sheets(ROOT, lab)
    told = [problem.told(ROOT) for problem in sheets.check_exam(exam, lab)]
    assert not told, RENEW.format(int(lab.name[:2]))


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS, ids=NAMES)
def test_every_figure_is_what_a_run_gives(lab: Path) -> None:
    with Lab(ROOT, int(lab.name[:2])) as runs:
        paths = sheets.sheets(ROOT, lab)
        told = [problem.told(ROOT) for path in paths for problem in sheets.check_figures(path, runs)]
    assert not told, RENEW.format(int(lab.name[:2]))


def test_no_two_labs_have_an_exam_task_alike() -> None:
    titles, mistakes = [], []
    for lab in LABS:
        text = sheets.sheets(ROOT, lab)[1].read_text("utf-8")
        titles += [task["title"] for task in sheets.TASK.finditer(text)]
        mistakes += [mark["name"] for mark in MARK.finditer(text) if mark["kind"] == "code"]
    assert len(set(titles)) == len(titles) >= 4 * len(LABS)
    assert len(set(mistakes)) == len(mistakes)


@pytest.mark.parametrize("lab", LABS, ids=NAMES)
def test_minutes_and_points_of_an_exam_add_up(lab: Path) -> None:
    text = sheets.sheets(ROOT, lab)[1].read_text("utf-8")
    tasks = list(sheets.TASK.finditer(text))
    minutes, points = (sum(int(task[name]) for task in tasks) for name in ("minutes", "points"))
    assert f"Total: {minutes} minutes, {points} points." in text


@pytest.mark.parametrize("lab", LABS, ids=NAMES)
def test_students_see_no_answer(lab: Path) -> None:
    text = sheets.sheets(ROOT, lab)[1].read_text("utf-8")
    shown = sheets.without_answers(text)
    assert shown.count("\n## ") == len(list(sheets.TASK.finditer(text)))
    assert "Answer" not in shown and "<!--" not in shown and "Full points" not in shown
    assert "instructors" not in shown
    assert "```diff" not in shown


def test_nothing_that_students_get_leads_to_the_answers() -> None:
    given = [path for path in files(".md", ".toml", ".cu", ".h", ".cc") if path.is_relative_to(ROOT / "labs")]
    assert given
    assert not [path for path in given if re.search(r"answers\.md|exam\.md|-m answers", path.read_text("utf-8"))]
