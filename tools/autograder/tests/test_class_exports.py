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

from autograder.classes.export import GIVEN, export
from autograder.classes.exports import PER_CLASS, PER_STUDENT
from autograder.classes.grading import Run, regrade
from autograder.classes.options import Options
from autograder.classes.people import NOTHING, Submission
from autograder.classes.roster import Person
from autograder.classes.rosters import read_rosters
from autograder.classes.store import Grading, Store
from autograder.classes.told import told
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


@pytest.mark.parametrize("form", ("canvas", "moodle", *PER_CLASS, *PER_STUDENT))
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


def test_canvas_without_its_gradebook(graded: Path) -> None:
    said = export(graded, "canvas", graded / "mine.csv", "Lab 3 (77)")
    again = graded / "new" / "folder" / "mine.csv"
    export(graded, "canvas", again, "Lab 3 (77)")
    assert again.read_bytes() == (graded / "mine.csv").read_bytes()
    assert said.startswith(f"{graded / 'mine.csv'}: 4 people\n") and "without 1 who are not in the roster: stranger" in said
    assert "without a grade, so what is there stays: dan, eve, fay" in said
    rows = list(csv.reader(io.StringIO((graded / "mine.csv").read_text())))
    assert rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lab 3 (77)"]
    assert rows[1][0] == "    Points Possible" and rows[1][5] == "100"
    assert {row[3]: row[5] for row in rows[2:]} == {"ada": "100", "bob": "73.5", "ced": "0", "mallory": "60"}
    assert next(row[0] for row in rows if row[3] == "mallory") == '\'=HYPERLINK("x")'


GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section,Quiz (5),{title},Final Score
,,,,,Manual Posting,,
    Points Possible,,,,,10,{most},(read only)
"Example, Ada",1,101,ada,A,9,,1
"Example, Bob",2,102,bob,A,9,17.5,1
"Example, Ced",3,103,ced,A,9,EX,1
"Example, Dan",4,104,dan,A,9,17.5,1
"Other, Zoe",77,999,zoe,B,9,3,1
"Student, Test",99,,,A,,,
"""


def gradebook(graded: Path, title: str = "Lab 3 (7)", most: str = "20") -> Path:
    return put(graded.parent / "gradebook.csv", GRADEBOOK.format(title=title, most=most))


def test_canvas_gets_its_own_gradebook_back(graded: Path) -> None:
    """Its rows and its column, scaled to its maximum. Nobody who has no grade is in the file, nor who is excused."""
    said = export(graded, "canvas", None, None, gradebook(graded))
    rows = list(csv.reader(io.StringIO((graded / "canvas.csv").read_text())))
    assert rows == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lab 3 (7)"],
        ["    Points Possible", "", "", "", "", "20"],
        ["Example, Ada", "1", "101", "ada", "A", "20"], ["Example, Bob", "2", "102", "bob", "A", "14.7"],
    ]  # fmt: skip
    for words in ("column Lab 3 (7), of 20 points", "scaled from 100 to 20", "excused there, so left out: ced",
                  "not in gradebook.csv: mallory", "without a grade, so what is there stays: dan"):  # fmt: skip
        assert words in said, words


@pytest.mark.parametrize(
    ("column", "title", "found"),
    [
        ("Lab 3 (7)", "Lab 3", "Lab 3 (7)"), ("Lab 03: prefix sums (7)", None, "Lab 03: prefix sums (7)"),
        ("Scan (7)", None, "Scan (7)"), ("Homework (7)", "homework (7)", "Homework (7)"),
        ("Lab 33 (7)", None, ""), ("Homework (7)", None, ""), ("Lab 3 (7)", "Lab 4", ""),
        ("Lab 3 (7),Exercise 3 (8)", None, ""), ("Lab 3 (7)", "Final Score", ""),
    ],
)  # fmt: skip
def test_the_column_in_canvas_is_checked_and_taken_if_only_one_fits(
    graded: Path, column: str, title: str | None, found: str
) -> None:
    text = GRADEBOOK.format(title=column, most="20" + ",20" * column.count(","))
    file = put(graded.parent / "gradebook.csv", text)
    if found:
        export(graded, "canvas", None, title, file)
        assert (graded / "canvas.csv").read_text().splitlines()[0].endswith(found)
    else:
        with pytest.raises(UsageError, match="column.* of gradebook.csv: .*name one with --title"):
            export(graded, "canvas", None, title, file)


@pytest.mark.parametrize("most", ["", "0", "n/a"])
def test_without_a_maximum_nothing_is_handed_over(graded: Path, most: str) -> None:
    with pytest.raises(UsageError, match="states no Points Possible for Lab 3"):
        export(graded, "canvas", None, None, gradebook(graded, most=most))
    with pytest.raises(UsageError, match="is not what Moodle gives"):
        export(graded, "moodle", None, None, gradebook(graded))


def test_a_gradebook_that_contradicts_the_roster_is_refused(graded: Path) -> None:
    file = gradebook(graded)
    put(file, file.read_text().replace("1,101,ada", "1,555,ada"))
    with pytest.raises(UsageError, match="ada of the results and gradebook.csv line 4 have the same login"):
        export(graded, "canvas", None, None, file)


def test_moodle_gets_its_own_worksheet_back(graded: Path) -> None:
    """Moodle compares headings with its words, and takes nothing without the column for the time of the last grade."""
    heading = "ID,Vollständiger Name,Status,Bewertung,Bestwertung,Änderbar,Abgabe,Zuletzt geändert,Kommentar"
    lines = [f'Teilnehmer/in {number},{name} Example,-,{old},"10,00",Ja,-,-,"{said}"'
             for number, name, old, said in ((5, "Eve", "", ""), (2, "Bob", '"1,50"', "well\ndone"), (3, "Ced", "", ""),
                                             (4, "Dan", '"7,50"', "by hand"), (1, "Ada", "", ""))]  # fmt: skip
    sheet = put(graded.parent / "sheet.csv", "\n".join([heading, *lines]))
    given = read_rosters([sheet]).given
    assert [table.kind for table in given] == ["moodle"]
    store = Store(graded)
    store.set_fact(GIVEN, json.dumps([table.as_data() for table in given]))
    store.close()
    said = export(graded, "moodle", None, None)
    assert "maximum 10" in said and "scaled from 100 to 10" in said and "not in sheet.csv: mallory" in said
    text = (graded / "moodle.csv").read_text()
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == heading.split(",")
    assert [(row[0], row[3]) for row in rows[1:]] == [
        ("Teilnehmer/in 5", ""), ("Teilnehmer/in 2", "7,35"), ("Teilnehmer/in 3", "0"), ("Teilnehmer/in 4", "7,50"),
        ("Teilnehmer/in 1", "10"),
    ]  # fmt: skip
    assert all(row[4:8] == ["10,00", "Ja", "-", "-"] for row in rows[1:])
    assert rows[2][8] == "naive: WA: wrong from n = 33 on at scan.cu:12; blelloch: AC"
    assert rows[3][8].count("CE") == 1 and rows[3][8].startswith("does not compile: CE: expected a")
    assert (rows[1][8], rows[4][8]) == ("", "scan.cu is empty")


def test_an_export_for_moodle_tells_whom_moodle_will_not_find(graded: Path) -> None:
    assert "no number" not in export(graded, "moodle", None, None)
    with Store(graded).opened() as store:
        rows = list(store.submissions())
        for at, row in enumerate(rows[:2]):
            rows[at] = replace(row, person=replace(row.person, fields={"name": row.person.name}))
        store.replace_submissions(rows)
    said = export(graded, "moodle", None, None)
    assert f"2 of them have no number, and Moodle finds people by nothing else: {rows[0].person.key}" in said
    assert "grading worksheet as --file" in said and "no number" not in export(graded, "canvas", None, None)


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
    said = export(graded, "canvas", downloaded, None)
    (saved,) = tmp_path.glob("gradebook.csv.saved-*")
    assert saved.read_text() == "Student,ID\n" and f"; what was there is saved: {saved}" in said
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


def test_of_two_mistakes_both_are_told() -> None:
    one = result(60.0, "WA", "wrong from n = 33 on")
    task = one["tasks"][0]  # type: ignore[index]
    output = {"reason": "block 0 is right", "where": "", "details": [], "hint": "who adds what came before?"}
    leak = {"reason": "memory was not freed", "where": "scan.cu:12", "details": ["of 8 bytes"], "hint": ""}
    task |= {"mistakes": [output, leak], "hint": output["hint"], "where": ""}
    assert told(task).splitlines() == [
        "WA: wrong from n = 33 on", "1. block 0 is right", "   hint: who adds what came before?",
        "2. memory was not freed, scan.cu:12", "   of 8 bytes",
    ]  # fmt: skip
    other = one["tasks"][1] | {"verdict": "SKIP", "reason": "not started: scan.cu:12 TODO 2", "where": "scan.cu:12"}  # type: ignore[index]
    assert markdown(one | {"tasks": [other]}).count("scan.cu") == 1  # the place is told once
    table = markdown(one)
    assert "block 0 is right" in table and "memory was not freed" in table and "came before?" in table


def test_markdown_is_of_one_result_or_of_a_class(graded: Path, tmp_path: Path) -> None:
    one = put(tmp_path / "r.json", json.dumps(result()))
    assert export(one, "markdown", None, None).startswith("### Lab 3 · ")
    export(graded, "markdown", None, None)
    lines = (graded / "markdown.md").read_text().splitlines()
    assert lines[2] == "| person | points | naive | blelloch | remarks |"
    assert "| bob | 73.5 of 100 | WA | AC |  |" in lines and "| dan |  |  |  | scan.cu is empty |" in lines


def test_a_refused_file_is_the_same_everywhere(graded: Path) -> None:
    """It has no grade in any format, and its reason wherever there is room for one."""
    for form in ("canvas", "moodle", *PER_CLASS, *PER_STUDENT):
        export(graded, form, None, None)
    one = next(one for one in json.loads((graded / "json.json").read_text())["students"] if one["person"]["key"] == "dan")
    assert (one["points"], one["why"]) == (None, "scan.cu is empty")
    assert "dan" not in (graded / "canvas.csv").read_text() + (graded / "moodle.csv").read_text()
    assert not list(graded.glob("*/dan.json")) and "scan.cu is empty" in (graded / "junit.xml").read_text()
