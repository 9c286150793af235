"""Canvas' gradebook and Moodle's worksheet go back as the platform gave them, with one column filled in."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from autograder.errors import UsageError
from classes.export_command import GIVEN, export
from classes.roster_files import read_rosters
from classes.store import Store
from classes.tests.support import fake_grader, grade_class, put


@pytest.mark.parametrize("form", ("canvas", "moodle"))
def test_a_gradebook_is_the_platforms_own(graded: Path, form: str) -> None:
    with pytest.raises(UsageError, match=f"--format {form} fills in the platform's own table: name the gra"):
        export(graded, form, None, None)
    assert not (graded / f"{form}.csv").exists()


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
        with pytest.raises(UsageError, match=r"column.* of gradebook.csv: .*name one with --title"):
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
    with pytest.raises(UsageError, match=r"ada of the results and gradebook.csv line 4 have the same login"):
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
        ("Teilnehmer/in 2", "7,35"), ("Teilnehmer/in 3", "0"), ("Teilnehmer/in 4", "7,50"),
        ("Teilnehmer/in 1", "10"),
    ]  # fmt: skip
    assert all(row[4:8] == ["10,00", "Ja", "-", "-"] for row in rows[1:])
    assert rows[1][8] == "naive: WA: wrong from n = 33 on at scan.cu:12; blelloch: AC"
    assert rows[2][8].count("CE") == 1 and rows[2][8].startswith("does not compile: CE: expected a")
    assert rows[3][8] == "scan.cu is empty"


def test_the_worksheet_of_another_assignment_is_refused(graded: Path) -> None:
    """Its numbers are others', and would give everybody the grade of somebody else."""
    heading = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments"
    rows = "\n".join(f"Participant {8 - at},{who.title()} Example,{who}@example.edu,-,,10,-,"
                     for at, who in enumerate(("ada", "bob", "ced", "dan"), 1))  # fmt: skip
    with pytest.raises(UsageError, match=r"ada of the results and sheet.csv line 2 have the same email"):
        export(graded, "moodle", None, None, put(graded.parent / "sheet.csv", f"{heading}\n{rows}\n"))


def test_an_anonymous_worksheet_has_nothing_but_numbers(graded: Path) -> None:
    heading = "Identifier,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments"
    sheet = put(graded.parent / "sheet.csv", f"{heading}\nParticipant 2,-,,50.00,-,\nParticipant 9,-,1,50.00,-,\n")
    export(graded, "moodle", None, None, sheet)
    rows = list(csv.reader(io.StringIO((graded / "moodle.csv").read_text())))
    assert [row[:3] for row in rows[1:]] == [["Participant 2", "-", "36.75"]]


def test_canvas_without_any_roster(tmp_path: Path) -> None:
    """The number in a file's name is enough, however Canvas has shortened the name."""
    put(tmp_path / "top/lovelacejra_31_9001_scan.cu", "// a\n")
    put(tmp_path / "top/hoppergrace_32_9002_scan.cu", "// b\n")
    grade_class(tmp_path / "top", tmp_path / "out", fake_grader(tmp_path), roster=None)
    book = put(tmp_path / "b.csv", "Student,ID,Section,Lab 3 (1)\n    Points Possible,,,10\n\"King, Ada\",31,A,\n"
               "\"Hopper, Grace\",32,A,\n\"Idle, Ida\",33,A,17.5\n")  # fmt: skip
    export(tmp_path / "out", "canvas", None, None, book)
    rows = list(csv.reader(io.StringIO((tmp_path / "out/canvas.csv").read_text())))
    assert [row[1:] for row in rows[2:]] == [["31", "A", "7"], ["32", "A", "7"]]
