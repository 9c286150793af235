"""A class: whose file is which, in all layouts."""

from __future__ import annotations

import os
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from autograder.errors import UsageError
from classes.layouts import handed_in
from classes.people import NOTHING, Submission, class_inside, submissions
from classes.roster import Roster
from classes.tests.support import LAB, put, roster, zipped

METADATA = """---
submission_1001:
  :submitters:
  - :name: Ada Lovelace
    :sid: '100'
    :email: ada@example.edu
  :created_at: 2026-02-01 12:00:00.000000000 Z
  :score: 0.0
  :history:
  - :id: 5
    :submitters:
    - :name: Somebody Else
  :status: processed
submission_1002:
  :submitters:
  - :name: "S\\xF8ren \\u0141ukasz"
    :sid: '102'
    :email: soren@example.edu
  - :name: Grace Hopper
    :sid:
    :email: grace@example.edu
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: &1 2026-02-02 08:00:00.000000000 Z
"""


def found(top: Path, names: Roster | None) -> dict[str, Submission]:
    known = (lambda name: names.find(name, {})[0] is not None) if names else (lambda name: False)
    rows = submissions(handed_in(top, known), names, LAB, lambda digest, data: None)
    return {row.person.key: row for row in rows}


def test_folders_files_and_archives_of_students(tmp_path: Path) -> None:
    top = tmp_path / "top"
    put(top / "ada/scan.cu")
    put(top / "hopper_grace.zip", zipped({"lab3\\scan.cu": "// windows\n", "__MACOSX/._scan.cu": "x"}))
    put(top / "Søren Łukasz - lab3.cu")
    put(top / ".DS_Store", "x")
    rows = found(top, roster(tmp_path))
    assert {key: row.path for key, row in rows.items()} == {
        "ada": "scan.cu", "grace": "hopper_grace.zip: lab3/scan.cu", "soren": "Søren Łukasz - lab3.cu",
    }  # fmt: skip
    assert not any(row.problem for row in rows.values())


@pytest.mark.parametrize("folder", ["", "assignment_77_export/"])
@pytest.mark.parametrize("packed", [False, True])
def test_gradescope(tmp_path: Path, folder: str, packed: bool) -> None:
    files: dict[str, str | bytes] = {
        f"{folder}submission_metadata.yml": METADATA,
        f"{folder}submission_1001/scan.cu": "// a\n",
        f"{folder}submission_1002/src/scan.cu": "// b\n",
    }
    top = tmp_path / "top"
    if packed:
        put(top / "export.zip", zipped(files))
    for name, data in files.items() if not packed else ():
        put(top / name, data)
    rows = found(top, roster(tmp_path))
    assert [rows[key].origin for key in ("ada", "grace", "soren")] == ["submission_1001", *["submission_1002"] * 2]
    assert (rows["ada"].when, rows["soren"].when) == ("2026-02-01T12:00:00+00:00", "2026-02-02T08:00:00+00:00")
    assert len(rows) == 3
    assert rows["soren"].digest == rows["grace"].digest != rows["ada"].digest


def test_moodle(tmp_path: Path) -> None:
    top = tmp_path / "top"
    put(top / "Ada Lovelace_12345_assignsubmission_file_/scan.cu")
    put(top / "Ada Lovelace_12345_assignsubmission_onlinetext_/onlinetext.html", "<p>see file</p>")
    put(top / "Grace Hopper_12346_assignsubmission_onlinetext_/onlinetext.html", "<p>__global__</p>")
    put(top / "Team 1-Søren Łukasz_12347_assignsubmission_file_scan.cu")
    rows = found(top, roster(tmp_path))
    assert rows["ada"].path == rows["soren"].path == "scan.cu"
    assert "the submission is text typed into the page" in rows["grace"].problem
    assert len(rows) == 3


def test_moodles_numbers_are_those_of_its_worksheet(tmp_path: Path) -> None:
    text = (
        "Identifier,Full name,Email address,Grade\nParticipant 12,Wei Chen,a@x.edu,\nParticipant 13,Wei Chen,b@x.edu,\n"
    )
    put(tmp_path / "top/Wei Chen_13_assignsubmission_file_/scan.cu")
    put(tmp_path / "top/Wei Chen_12_assignsubmission_file_/scan.cu", "// other\n")
    rows = found(tmp_path / "top", roster(tmp_path, text))
    assert (rows["a@x.edu"].origin[:12], rows["b@x.edu"].origin[:12]) == ("Wei Chen_12_", "Wei Chen_13_")


def test_a_groups_name_may_have_dashes(tmp_path: Path) -> None:
    text = "name,login\nAnna-Lena Meyer,anna\nLena Meyer,lena\nAda Lovelace,ada\n"
    put(tmp_path / "top/Team-A 2-Ada Lovelace_7_assignsubmission_file/scan.cu")
    put(tmp_path / "top/Team-A 2-Anna-Lena Meyer_8_assignsubmission_file/scan.cu", "// anna\n")
    rows = found(tmp_path / "top", roster(tmp_path, text))
    assert rows["ada"].digest
    assert not rows["lena"].digest and not rows["anna"].digest  # either could be meant: nobody is


def test_canvas(tmp_path: Path) -> None:
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 2 (5)\n    Points Possible,,,,,100\n"
        '"Lovelace, Ada",31,s1,ada,A,90\n"Hopper, Grace",32,s2,grace,A,\n'
        '"Chen, Wei",33,s3,wchen,B,\n"Chen, Wei",34,s4,wchen2,B,\n'
        '"Student, Test",99,,,A,\n'
    )
    files: dict[str, str | bytes] = {
        "lovelaceada_LATE_31_9001_scan-1.cu": "// new\n",
        "lovelaceada_LATE_31_9002_notes.txt": "hello",
        "hoppergrace_32_9003_lab3.zip": zipped({"scan.cu": "// in a zip\n"}),
        "chenwei_34_9004_scan.cu": "// wei\n",
        "unknownperson_77_9005_scan.cu": "// who\n",
    }
    put(tmp_path / "submissions.zip", zipped(files))
    rows = found(tmp_path / "submissions.zip", roster(tmp_path, text))
    assert rows["ada"].late and rows["ada"].path == "scan-1.cu" and not rows["grace"].late
    assert rows["grace"].path == "lab3.zip: scan.cu"
    assert rows["wchen"].problem == NOTHING and rows["wchen2"].path == "scan.cu"
    assert "not in the roster" in rows["unknownperson"].notes and rows["unknownperson"].digest
    assert [row.person.name for row in rows.values()][:2] == ["Ada Lovelace", "Grace Hopper"]


@pytest.mark.parametrize(
    ("files", "people"),
    [
        (["week 3/lab 3/ada/scan.cu", "week 3/lab 3/grace/scan.cu"], {"ada", "grace"}),
        (["lab 3/ada/scan.cu"], {"ada"}),
        (["ada/src/scan.cu"], {"ada"}),
        (["bob/src/scan.cu"], {"bob"}),
        (["all/ada.cu", "all/grace.cu"], {"ada", "grace"}),
        (["ada/lab3/scan.cu", "ada/lab3/notes.txt"], {"ada"}),
        (["x/y/Ada Lovelace_1_assignsubmission_file_/scan.cu"], {"ada"}),
        (["bob/scan.cu", "bob/scan.h"], {"bob"}),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_folders_around_everything(tmp_path: Path, files: list[str], people: set[str], packed: bool) -> None:
    top = tmp_path / "top"
    for name in files if not packed else ():
        put(top / name)
    if packed:
        put(top / "all of it.zip", zipped(dict.fromkeys(files, "// scan\n")))
    rows = found(top if not packed else top / "all of it.zip", roster(tmp_path))
    assert {key for key, row in rows.items() if row.digest} == people


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    for name in ("ada", "grace"):
        (top / name).mkdir(parents=True)
    (top / "ada/scan.cu").symlink_to("/etc/passwd")
    os.mkfifo(top / "grace/scan.cu")
    (top / "soren").symlink_to(tmp_path)
    rows = found(top, roster(tmp_path))
    assert [rows[key].problem.partition(",")[0].removeprefix("the submission ") for key in rows] == [
        "is a link", "is a special file", "is a link",
    ]  # fmt: skip


def test_names_that_are_utf_8_without_saying_so(tmp_path: Path) -> None:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("xxx_1_assignsubmission_file_/scan.cu", "// a\n")
    data = made.getvalue().replace(b"xxx", "é!".encode())
    put(tmp_path / "all.zip", data)
    assert list(found(tmp_path / "all.zip", None)) == ["é!"]


@pytest.mark.parametrize(
    ("name", "says"), [("roster.csv", "a roster goes behind --roster"), ("scan.cu", "a zip of them")]
)
def test_a_file_that_is_no_zip(tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(UsageError, match=f"{name}: is not a zip; name a folder with submissions.*{says}$"):
        found(put(tmp_path / name, "name,email\n"), None)


def test_a_hostile_member_of_the_classes_zip_is_one_row(tmp_path: Path) -> None:
    put(tmp_path / "all.zip", zipped({"ada/scan.cu": "// a\n", "../grace/scan.cu": "// b\n"}))
    rows = found(tmp_path / "all.zip", roster(tmp_path))
    assert rows["ada"].digest and "path out of the archive" in rows["grace"].problem


@pytest.mark.parametrize(
    ("files", "inside"),
    [
        (
            ["roster.csv", "submissions/ada/scan.cu", "submissions/bob/scan.cu", "submissions/eve/scan.cu"],
            "submissions",
        ),
        (["ada/scan.cu", "bob/a/scan.cu", "bob/b/scan.cu", "bob/c/scan.cu"], ""),  # ada's can be graded
        (["ada/final/scan.cu", "ada/draft/scan.cu", "roster.csv"], ""),  # two versions of one person
        (["ada/a/scan.cu", "ada/b/scan.cu", "ada/c/scan.cu"] + [f"bob/{one}/scan.cu" for one in "abc"], ""),
    ],
)
def test_the_folder_around_the_class(tmp_path: Path, files: list[str], inside: str) -> None:
    for number, file in enumerate(files):
        put(tmp_path / file, f"int version_{number};")
    assert class_inside(handed_in(tmp_path, lambda name: False), LAB) == inside
