"""Questions of handouts and skeletons, answers beside them, and the code of exam tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from answers import code, sheets
from answers.calls import FigureError
from answers.questions import questions
from autograder.plan.labs import find
from tests.test_docs import ROOT

HANDOUT = """# Lab

1. no question

## Questions

Think first.

1. How many?
2. Why so
   many?
"""
SKELETON = """// ---- Task 1, first: which one? ----
void f() {
    // 1.1  What is it,
    //      and why?
    // No question.
    int blocks = 1;  // not right yet: how many?
}
// ---- Task 2, second ----
void g(int /* what for? */) {
    // 2.1  Say it.
}
"""
ANSWERS = """## Questions of the handout

### 1

> How many?

Two.

### 2

> Why so many?

So.
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "labs" / "03-test"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(HANDOUT, "utf-8")
    return folder


def told(lab: Path, text: str) -> list[str]:
    path = lab / "answers.md"
    path.write_text(text, "utf-8")
    return [problem.what for problem in sheets.check_answers(path, lab)]


def test_questions_of_handout_and_skeleton(lab: Path) -> None:
    (lab / "test.cu").write_text(SKELETON, "utf-8")
    assert [(one.key, one.text) for one in questions(lab)] == [
        ("1", "How many?"),
        ("2", "Why so many?"),
        ("1.1", "What is it, and why?"),
        ("1.a", "how many?"),
        ("2.a", "what for?"),
        ("2.1", "Say it."),
    ]
    assert questions(lab)[1].where == "labs/03-test/README.md:10"


def test_answers_that_fit(lab: Path) -> None:
    assert told(lab, ANSWERS) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("Two.\n", ""), "question 1 has no answer"),
        (("> How many?", "> How few?"), "is now: How many?"),
        (("### 2\n", "### 3\n"), "there is no question 3"),
        (("### 2\n\n> Why so many?\n\nSo.\n", ""), "question 2 has 0 answers"),
        (("### 2", "### 1\n\n> How many?\n\nTwo.\n\n### 2"), "question 1 has 2 answers"),
    ],
)
def test_answers_that_do_not(lab: Path, change: tuple[str, str], says: str) -> None:
    assert change[0] in ANSWERS
    assert any(says in one for one in told(lab, ANSWERS.replace(*change)))


def test_the_order_counts(lab: Path) -> None:
    first, second = ANSWERS.split("### 1")[1].split("### 2")
    assert "the answers are not in the order of the questions" in told(lab, f"### 2{second}\n### 1{first}")


def test_code_of_a_mistake_without_its_comments() -> None:
    lab = find(ROOT, "3")
    shown = code.block(lab, "code", "step_too_few")
    assert shown.startswith("```cuda\n// hillis_steele.cu\n") and "offset < kTile / 2" in shown
    assert "one is enough" not in shown
    mend = code.block(lab, "mend", "step_too_few").splitlines()
    assert [line[0] for line in mend if line.startswith(("+", "-"))] == ["-", "+"]


def test_code_that_there_is_not() -> None:
    lab = find(ROOT, "3")
    with pytest.raises(FigureError, match="did you mean 'step_too_few'"):
        code.block(lab, "code", "step_to_few")
    with pytest.raises(FigureError, match="a file of its own"):
        code.block(lab, "code", "torn_publish")


def test_an_exam_that_has_drifted_is_told(tmp_path: Path) -> None:
    lab = find(ROOT, "3")
    path = tmp_path / "exam.md"
    text = sheets.sheets(ROOT, lab)[1].read_text("utf-8")
    path.write_text(text.replace("int t = threadIdx.x;", "int t = threadIdx.y;", 1), "utf-8")
    assert any("is not that of the mistake any more" in one.what for one in sheets.check_exam(path, lab))
    path.write_text(text.replace("**Full points:**", "Points:", 1), "utf-8")
    assert any("lacks '### Answer'" in one.what for one in sheets.check_exam(path, lab))
