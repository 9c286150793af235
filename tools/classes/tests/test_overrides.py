"""Grades changed by hand."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from autograder.errors import UsageError
from classes.export_command import export
from classes.tests.small_class import again, cells
from classes.tests.support import put

pytestmark = pytest.mark.slow


def test_a_grade_can_be_changed_by_hand(out: Path) -> None:
    put(out / "overrides.csv", "person,task,points,reason\nada,naive,25.5,the barrier is there\n"
        "Ref Used,,40,handed in by mail\n")  # fmt: skip
    said = again(out)
    assert "2 changed by hand: ada, ref" in said
    assert "70 → 85.5: naive 25.5: the barrier is there" in (out / "report.html").read_text()
    lines = cells(out / "grades.csv")
    assert [lines[key]["points"] for key in ("ada", "grace", "idle", "ref")] == ["85.5", "70", "", "40"]
    assert "changed by hand: naive 25.5 points: the barrier is there" in lines["ada"]["remarks"]
    assert "handed in by mail" in (out / "students/ref.html").read_text()
    for page in ("report.html", "students/ada.html"):
        assert "the barrier is there" in (out / page).read_text(), page
    export(out, "markdown", None, None)
    assert (
        "| 85.5 of 100 |" in (out / "markdown.md").read_text() and "| 40 of 100 |" in (out / "markdown.md").read_text()
    )
    export(out, "gradescope", None, None)
    assert json.loads((out / "gradescope/ada.json").read_text())["score"] == 85.5
    assert json.loads((out / "gradescope/ref.json").read_text())["score"] == 40
    put(out / "overrides.csv", "person,task,points,reason\nada,naive,20,looked at again\n")
    again(out)
    audit = list(csv.DictReader(io.StringIO((out / "audit.csv").read_text())))
    assert [(one["person"], one["points"], bool(one["until"])) for one in audit] == [
        ("ada", "25.5", True), ("ref", "40", True), ("ada", "20", False),
    ]  # fmt: skip
    assert audit[0]["graded"] == "70" and audit[1]["graded"] == ""


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("adda,naive,5,x", "line 2: nobody is called 'adda'"), ("ada,navie,5,x", "line 2: no task is called 'navie'"),
        ("ada,naive,41,x", "from 0 to 40 is expected"), ("ada,naive,-1,x", "from 0 to 40"),
        ("ada,naive,much,x", "'much': a number"), ("ada,,5,", "line 2: say why"),
        ("ada,naive,5,x\nada,naive,6,y", "lines 2 and 3 both change naive of ada"),
        ("ada,naive,5,x\nada,all,6,y", "lines 2 and 3 both change"),
    ],
)  # fmt: skip
def test_overrides_that_cannot_be_meant_are_refused(out: Path, lines: str, says: str) -> None:
    put(out / "overrides.csv", f"person,task,points,reason\n{lines}\n")
    with pytest.raises(UsageError, match=re.escape(says)):
        export(out, "canvas", None, None)
    with pytest.raises(UsageError, match=re.escape(says)):
        again(out)
