"""Exports of a class, compared with golden files and with schemas; `regrade` and `replay`.

After a change that is meant: GOLDEN=1 python -m pytest classes/tests/test_export_formats.py writes them anew.
"""

from __future__ import annotations

import importlib
import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.report.markdown import markdown
from classes.export_command import export
from classes.export_formats import PER_CLASS, PER_STUDENT
from classes.student_text import told
from classes.tests.support import put, result

HERE = Path(__file__).parent


@pytest.mark.parametrize("form", (*PER_CLASS, *PER_STUDENT))
def test_formats_are_as_before(graded: Path, form: str) -> None:
    said = export(graded, form, None, None)
    if form in PER_STUDENT:
        made = "".join(f"== {path.name}\n{path.read_text()}" for path in sorted((graded / form).iterdir()))
    else:
        made = Path(said.partition(": ")[0]).read_text()
    golden = HERE / "golden" / f"class_{form}.txt"
    if os.environ.get("GOLDEN"):
        golden.write_text(made)
    assert made == golden.read_text()


@pytest.mark.parametrize("form", PER_STUDENT)
def test_json_is_as_its_schema_says(graded: Path, form: str) -> None:
    export(graded, form, None, None)
    schema = json.loads((HERE / "schemas" / f"{form}.json").read_text())
    validator = importlib.import_module("jsonschema").Draft202012Validator(schema)
    files = sorted((graded / form).iterdir())
    assert [path.stem for path in files] == ["ada", "bob", "ced", "mallory", "stranger"]
    for path in files:
        assert not [error.message for error in validator.iter_errors(json.loads(path.read_text()))], path.name


def test_junit_is_as_its_schema_says(graded: Path) -> None:
    """testsuites > testsuite > testcase > failure, error or skipped, with the attributes that its readers know."""
    known: dict[str, tuple[set[str], set[str]]] = {
        "testsuites": ({"name"}, {"testsuite"}),
        "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"testcase"}),
        "testcase": ({"name", "classname", "time"}, {"failure", "error", "skipped"}),
        "failure": ({"message", "type"}, set()),
        "error": ({"message", "type"}, set()),
        "skipped": ({"message"}, set()),
    }
    export(graded, "junit", None, None)
    top = ET.fromstring((graded / "junit.xml").read_text())
    for element in top.iter():
        attributes, children = known[element.tag]
        assert set(element.keys()) <= attributes and {child.tag for child in element} <= children
    suites = {suite.get("name"): suite for suite in top}
    assert (suites["bob"].get("failures"), suites["ada"].get("failures")) == ("1", "0")
    assert (suites["eve"].get("skipped"), suites["fay"].get("errors"), suites["dan"].get("errors")) == ("1", "1", "1")
    assert "<b>&\"'" in str(suites["mallory"][0][0].get("message"))


def test_one_result(tmp_path: Path) -> None:
    one = put(tmp_path / "r.json", json.dumps(result()))
    assert json.loads(export(one, "gradescope", None, None))["score"] == 100.0
    with pytest.raises(UsageError, match="is for a class; one result can be: gradescope"):
        export(one, "canvas", None, None)
    for text in ("{", "[]", "{}", '{"schema": "cuda-labs/result/v1"}'):
        with pytest.raises(UsageError, match="not a result of"):
            export(put(tmp_path / "x.json", text), "gradescope", None, None)


def test_exports_destroy_nothing(graded: Path, tmp_path: Path) -> None:
    put(tmp_path / "mine/thesis.tex", "years of work")
    with pytest.raises(UsageError, match="holds other files, which would be lost"):
        export(graded, "gradescope", tmp_path / "mine", None)
    with pytest.raises(UsageError, match="takes a folder"):
        export(graded, "gradescope", tmp_path / "mine/thesis.tex", None)
    put(tmp_path / "other/package.json", "{}")
    with pytest.raises(UsageError, match=r"would be lost: package\.json"):
        export(graded, "gradescope", tmp_path / "other", None)
    for _ in range(2):
        export(graded, "gradescope", tmp_path / "new", None)
    downloaded = put(tmp_path / "gradebook.csv", "Student,ID\n")
    said = export(graded, "junit", downloaded, None)
    (saved,) = tmp_path.glob("gradebook.csv.saved-*")
    assert saved.read_text() == "Student,ID\n" and f"; what was there is saved: {saved}" in said
    assert "saved" not in export(graded, "junit", downloaded, None)
    with pytest.raises(UsageError, match="choose from: canvas, moodle"):
        export(graded, "excel", None, None)
    with pytest.raises(UsageError, match="holds no graded class"):
        export(tmp_path / "nowhere", "canvas", None, None)
    assert (tmp_path / "mine/thesis.tex").read_text() == "years of work"
    assert not (tmp_path / "nowhere").exists()


def test_what_a_student_is_told_of_a_task() -> None:
    one = result(60.0, "WA", "wrong from n = 33 on")
    task = one["tasks"][0]  # type: ignore[index]
    task |= {"where": "scan.cu:12", "details": ["seen: race in shared memory"], "kind": "race", "again": "./grader 3"}
    assert told(task).splitlines() == [
        "WA: wrong from n = 33 on", "at scan.cu:12", "seen: race in shared memory", "again: ./grader 3",
    ]  # fmt: skip
    assert "wrong from n = 33 on (scan.cu&#58;12)".replace("(", "&#40;").replace(")", "&#41;") in markdown(one)
    other = one["tasks"][1] | {"verdict": "SKIP", "reason": "not started: scan.cu:12 TODO 2", "where": "scan.cu:12"}  # type: ignore[index]
    assert markdown(one | {"tasks": [other]}).count("scan.cu") == 1  # the place is told once


def test_markdown_is_of_one_result_or_of_a_class(graded: Path, tmp_path: Path) -> None:
    one = put(tmp_path / "r.json", json.dumps(result()))
    assert export(one, "markdown", None, None).startswith("### Lab 3 · ")
    export(graded, "markdown", None, None)
    lines = (graded / "markdown.md").read_text().splitlines()
    assert lines[2] == "| person | points | naive | blelloch | remarks |"
    assert "| bob | 73.5 of 100 | WA | AC |  |" in lines and "| dan |  |  |  | scan.cu is empty |" in lines


def test_a_refused_file_is_the_same_everywhere(graded: Path) -> None:
    """It has no grade in any format, and its reason wherever there is room for one."""
    for form in (*PER_CLASS, *PER_STUDENT):
        export(graded, form, None, None)
    one = next(
        one for one in json.loads((graded / "json.json").read_text())["students"] if one["person"]["key"] == "dan"
    )
    assert (one["points"], one["why"]) == (None, "scan.cu is empty")
    assert not list(graded.glob("*/dan.json")) and "scan.cu is empty" in (graded / "junit.xml").read_text()
