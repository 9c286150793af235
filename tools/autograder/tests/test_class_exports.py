"""Exports of a class, compared with golden files and with schemas; `regrade` and `replay`.

After a change that is meant: GOLDEN=1 python -m pytest autograder/tests/test_class_exports.py writes them anew.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from autograder.classes.export import export
from autograder.classes.exports import FORMATS, PER_STUDENT, told
from autograder.classes.grading import Run, regrade
from autograder.classes.options import Options
from autograder.classes.people import NOTHING, Submission
from autograder.classes.roster import Person
from autograder.classes.store import Grading, Store
from autograder.classes.worksheet import WORKSHEET, as_worksheet
from autograder.errors import UsageError
from autograder.report.markdown import markdown
from autograder.tests.class_support import ROOT, fake_grader, grade_class, put, result, table

HERE = Path(__file__).parent
HOSTILE = "=1+1 <b>&\"' \x1b[31m]]> \u202e"


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """A class with one of each: full marks, wrong, does not compile, refused, nothing, stranger, hostile, a fault."""

    def person(key: str, number: int, name: str = "", known: bool = True) -> Person:
        name = name or f"{key.title()} Example"
        fields = {"name": name, "login": key, "email": f"{key}@example.edu", "sid": str(100 + number)}
        fields |= {"canvas": str(number), "moodle": f"Participant {number}", "section": "A"}
        return Person(key, name, fields if known else {}, known)

    broken = result(0.0, "CE", 'expected a ";"', compiler='scan.cu:12: error: expected a ";"')
    for task in broken["tasks"]:  # type: ignore[attr-defined]
        task |= {"verdict": "CE", "points": 0.0, "reason": 'expected a ";"'}
    hostile = result(60.0, "RTE", HOSTILE)
    hostile["tasks"][0]["printed"] = HOSTILE * 40  # type: ignore[index]
    store = Store(tmp_path / "results")
    store.set_fact("lab", "3")
    rows = []
    kinds: list[tuple[str, dict[str, object] | None]] = [
        ("ada", result()), ("bob", result(73.5, "WA", "wrong from n = 33 on")), ("ced", broken), ("dan", None),
        ("eve", None), ("mallory", hostile), ("stranger", result(90.0, "SLOW")), ("fay", result(60.0, "IE", "no GPU")),
    ]  # fmt: skip
    for number, (key, data) in enumerate(kinds, 1):
        who = person(key, number, '=HYPERLINK("x")' if key == "mallory" else "", key != "stranger")
        problem = "" if data else NOTHING if key == "eve" else "scan.cu is empty"
        rows.append(
            Submission(who, key, "scan.cu" if data else "", key if data else "", key, key == "bob", problem=problem)
        )
        if data:
            ended = "fault" if key == "fay" else "graded"
            points, text = float(str(data["points"])), json.dumps(data).encode()
            at = "2026-02-01T12:00:00+00:00"
            store.add(Grading(key, ended, points, 100.0, result=text, seconds=9.0, finished=at, grader="0", lab="x"))
    store.replace_submissions(rows)
    store.close()
    return tmp_path / "results"


@pytest.mark.parametrize("form", FORMATS)
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
    assert [path.stem for path in files] == ["ada", "bob", "ced", "dan", "mallory", "stranger"]
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


def test_canvas_reads_ids_and_leaves_empty_what_is_not_graded(graded: Path) -> None:
    said = export(graded, "canvas", graded / "mine.csv", "Lab 3 (77)")
    again = graded / "new" / "folder" / "mine.csv"
    export(graded, "canvas", again, "Lab 3 (77)")
    assert again.read_bytes() == (graded / "mine.csv").read_bytes()
    assert said == f"{graded / 'mine.csv'}: 7 people; without 1 who are not in the roster: stranger"
    rows = list(csv.reader(io.StringIO((graded / "mine.csv").read_text())))
    assert rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lab 3 (77)"]
    assert rows[1][0] == "    Points Possible" and rows[1][5] == "100"
    assert {row[3]: row[5] for row in rows[2:]} == {
        "ada": "100", "bob": "73.5", "ced": "0", "dan": "", "eve": "", "mallory": "60", "fay": "",
    }  # fmt: skip
    assert next(row[0] for row in rows if row[3] == "mallory") == '\'=HYPERLINK("x")'


def test_moodle_gets_its_own_worksheet_back(graded: Path) -> None:
    """Moodle compares headings with its words, and takes nothing without the column for the time of the last grade."""
    heading = "ID,Vollständiger Name,Status,Bewertung,Bestwertung,Änderbar,Abgabe,Zuletzt geändert,Kommentar"
    lines = [f'Teilnehmer/in {number},P {number},-,,"100,00",Ja,-,-,' for number in (5, 2, 3, 1)]
    table = list(csv.reader(io.StringIO("\n".join([heading, *lines]))))
    made = as_worksheet(table[0], table[1:])
    assert made is not None and (made.grade, made.feedback, made.name) == (3, 8, 1)
    store = Store(graded)
    store.set_fact(WORKSHEET, json.dumps(made.as_data()))
    store.close()
    export(graded, "moodle", None, None)
    rows = list(csv.reader(io.StringIO((graded / "moodle.csv").read_text())))
    assert rows[0] == heading.split(",")
    assert [(row[0], row[3]) for row in rows[1:]] == [
        ("Teilnehmer/in 5", ""), ("Teilnehmer/in 2", "73.5"), ("Teilnehmer/in 3", "0"), ("Teilnehmer/in 1", "100")
    ]  # fmt: skip
    assert all(row[4:8] == ["100,00", "Ja", "-", "-"] for row in rows[1:])
    assert rows[2][8] == "naive: WA: wrong from n = 33 on at scan.cu:12; blelloch: AC"
    assert rows[3][8].count("CE") == 1 and rows[3][8].startswith("does not compile: CE: expected a")


def test_an_export_for_moodle_tells_whom_moodle_will_not_find(graded: Path) -> None:
    assert "no number" not in export(graded, "moodle", None, None)
    with Store(graded).opened() as store:
        rows = list(store.submissions())
        for at, row in enumerate(rows[:2]):
            rows[at] = replace(row, person=replace(row.person, fields={"name": row.person.name}))
        store.replace_submissions(rows)
    said = export(graded, "moodle", None, None)
    assert f"2 of them have no number, and Moodle finds people by nothing else: {rows[0].person.key}" in said
    assert "grading worksheet as its --roster" in said and "no number" not in export(graded, "canvas", None, None)


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
    told = export(graded, "canvas", downloaded, None)
    (saved,) = tmp_path.glob("gradebook.csv.saved-*")
    assert saved.read_text() == "Student,ID\n" and told.endswith(f"; what was there is saved: {saved}")
    assert "saved" not in export(graded, "canvas", downloaded, None)
    with pytest.raises(UsageError, match="choose from: canvas, moodle"):
        export(graded, "excel", None, None)
    with pytest.raises(UsageError, match="holds no graded class"):
        export(tmp_path / "nowhere", "canvas", None, None)
    assert (tmp_path / "mine/thesis.tex").read_text() == "years of work"
    assert not (tmp_path / "nowhere").exists()


def again(out: Path, names: Sequence[str], grader: Path) -> str:
    people: Any = Console(file=io.StringIO(), width=160)
    regrade(Run(ROOT, out, 1, 60, people, lambda file: ["/bin/sh", str(grader), str(file)]), names, Options(3))
    return str(people.file.getvalue())


def test_regrade_says_what_changed(tmp_path: Path) -> None:
    put(tmp_path / "top/ada/scan.cu", "// a\n")
    put(tmp_path / "top/grace/scan.cu", "// b\n")
    out, grader = tmp_path / "out", fake_grader(tmp_path)
    grade_class(tmp_path / "top", out, grader)
    better = put(tmp_path / "better.sh", grader.read_text().replace('"points": 70.0', '"points": 99.0'))
    said = again(out, ["Ada Lovelace"], better)
    assert "1 of 1 grades changed" in said and "70 → ada" in said
    assert "report.html" not in said, "one person's grade is no news of the class"
    said = again(out, ["Ada Lovelace"], better)
    assert "0 of 1 grades changed" in said and re.search(r"as before: ada +99 / 100", said)
    assert {key: row.points for key, row in table(out).items()} == {"ada": 99.0, "grace": 70.0, "soren": None}
    assert "nothing to grade" in again(out, ["soren"], better)
    with pytest.raises(UsageError, match=r"nobody is called 'grac'; did you mean grace\?"):
        again(out, ["grac"], better)


def test_replay_grades_what_older_versions_have_graded(tmp_path: Path) -> None:
    put(tmp_path / "top/ada/scan.cu", "// a\n")
    put(tmp_path / "top/grace/scan.cu", "// b\n")
    out, grader = tmp_path / "out", fake_grader(tmp_path)
    grade_class(tmp_path / "top", out, grader)
    said = again(out, [], grader)
    assert "0 files to grade" in said and "every grade stays" in said and "0 of 0" not in said
    store = Store(out)
    old = store.current(next(row.digest for row in store.submissions() if row.digest))
    assert old
    store.add(Grading(old.digest, "graded", 10.0, 100.0, result=json.dumps(result(10.0)).encode(), lab="older"))
    store.close()
    said = again(out, [], grader)
    assert "1 file to grade" in said and "1 of 1 grades changed" in said and "10 → ada" in said
    assert "naive AC -50 → WA 10" in said


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


def test_a_table_is_of_one_result(graded: Path, tmp_path: Path) -> None:
    one = put(tmp_path / "r.json", json.dumps(result()))
    assert export(one, "markdown", None, None).startswith("### Lab 3 · ")
    with pytest.raises(UsageError, match="markdown is for one result"):
        export(graded, "markdown", None, None)
