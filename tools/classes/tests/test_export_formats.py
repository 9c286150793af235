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

from classes.export_command import export
from classes.export_formats import PER_CLASS, PER_STUDENT
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
