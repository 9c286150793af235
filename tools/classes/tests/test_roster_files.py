"""A roster: who is in it, and who is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from classes.roster import Roster
from classes.roster_files import read_rosters
from classes.tests.support import put, roster


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_rosters_as_spreadsheets_save_them(tmp_path: Path, encoding: str, delimiter: str) -> None:
    text = "Vorname,First name,Last name,Email address\r\nx,René,Müller,r@x.edu\r\n".replace(",", delimiter)
    names = roster(tmp_path, text.encode(encoding))
    assert [person.name for person in names.people] == ["René Müller"]
    assert names.find("mullerrene", {})[0] is names.people[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("colour,size\nred,3\n", "line 1 names no column"),
        ("name,login\nA,x\nB,X\n", r"X is there twice \(A, B\)"),
        ('name,login\n"A\nB",x\n"C,y\nD,z\n', "line 4: a quote .* opens or closes in the wrong place"),
        ('name,login\n"A "B" C",x\n', "line 2: a quote"),
    ],
)
def test_what_is_no_roster(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        roster(tmp_path, text)


def test_moodles_numbers_tell_namesakes_apart(tmp_path: Path) -> None:
    sheet = "Identifier,Full name,Status,Grade\nParticipant 11,Anna Schmidt,,\nParticipant 12,Anna Schmidt,,\n"
    names = roster(tmp_path, sheet)
    assert [person.key for person in names.people] == ["Anna Schmidt (11)", "Anna Schmidt (12)"]
    for number in ("11", "12"):
        assert names.find("Anna Schmidt", {"moodle": number})[0] == names.people[int(number) - 11]
    assert names.find("Anna Schmidt", {})[0] is None
    with pytest.raises(
        UsageError, match=r"11 is there twice .Anna Schmidt, Anna Schmidt.: roster.csv line 2 and roster.csv line 3"
    ):
        roster(tmp_path, sheet.replace("12", "11"))


def test_a_number_that_is_not_in_the_worksheet_is_nobodys(tmp_path: Path) -> None:
    names = roster(tmp_path, "Identifier,Full name,Status,Grade\nParticipant 11,Anna Schmidt,,\n")
    assert names.find("Anna Schmidt", {"moodle": "12"}) == (
        None, "the roster has no number 12: Anna Schmidt is 11 there",
    )  # fmt: skip
    assert names.find("Anna Schmidt", {})[0] == names.people[0]


OURS = "name,login,id\nAda Lovelace,ada,0100\nGrace Hopper,grace,101\nWei Chen,wei1,102\nWei Chen,wei2,103\n"
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Lab 3 (7)\n,,,,,Manual Posting\n    Points Possible,,,,,20\n"
    '"Lovelace, Ada",31,100,ada@x.edu,A,\n"Chen, Wei",34,103,wei2@x.edu,B,\n"Chen, Wei",33,102,wei1@x.edu,B,\n'
    '"Hopper, Grace",32,101,grace@x.edu,A,\n"Turing, Alan",35,104,alan@x.edu,A,\n"Student, Test",99,,,A,\n'
)
GRADESCOPE = (
    "First Name,Last Name,SID,Email,Role,Sections\nAda,Lovelace,100,ada@x.edu,Student,A\n"
    "Tim,Berners,,tim@x.edu,TA,\nEve,Staff,,eve@x.edu,Instructor,\nRita,Reader,,r@x.edu,Reader,\n"
)


def several(tmp_path: Path, **files: str) -> Roster:
    return read_rosters([put(tmp_path / f"{name}.csv", text) for name, text in files.items()])


def test_rosters_of_several_systems_are_joined(tmp_path: Path) -> None:
    """By any field that two files share; numbers that a spreadsheet has shortened, and logins with an address."""
    names = several(tmp_path, ours=OURS, canvas=CANVAS, gradescope=GRADESCOPE)
    found = {person.key: person.fields for person in names.people}
    assert {key: fields.get("canvas") for key, fields in found.items()} == {
        "ada": "31", "grace": "32", "wei1": "33", "wei2": "34", "alan@x.edu": "35",
    }  # fmt: skip
    assert found["ada"]["email"] == "ada@x.edu" and found["wei2"]["section"] == "B" and found["ada"]["sid"] == "0100"
    assert names.notes == ("3 of the roster are staff, not students", "in canvas.csv alone: Alan Turing")
    assert [table.kind for table in names.given] == ["canvas", "gradescope"]
    assert names.find("tim", {})[0] is None


def test_rosters_are_joined_by_name_where_they_share_nothing_else(tmp_path: Path) -> None:
    names = several(tmp_path, a="name,login\nAda Lovelace,ada\nGrace Hopper,grace\n",
                    b="Student,Email\n\"Lovelace, Ada\",a@x.edu\nSøren Å,s@x.edu\n")  # fmt: skip
    assert [(one.key, one.fields.get("email", "")) for one in names.people] == [
        ("ada", "a@x.edu"), ("grace", ""), ("s@x.edu", "s@x.edu"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        ("name,id,email\nAda,1,a@x\n", "name,id,email\nAda,1,b@x\n",
         r"one.csv line 2 and other.csv line 2 have the same id \(1\) and different ones under email: a@x and b@x"),
        ("name,id,email\nAda,1,a@x\nBob,2,b@x\n", "name,id,email\nZed,9,z@x\nAda,1,b@x\n",
         "one.csv line 2 and other.csv line 3 have the same id"),
        ("name,id\nAda Lovelace,1\n", "name,id\nGrace Hopper,1\n",
         "have the same id .1. and different ones under name: Ada Lovelace and Grace Hopper"),
        ("name,id\nBob Miller,1\n", "name,id\nBob Smith,1\n", "different ones under name: Bob Miller and Bob Smith"),
        ("name,email\nAda,a@x\n", "name,email\nAda,b@x\n",
         "one.csv line 2 and other.csv line 2 have the same name .Ada. and different ones under email"),
        ("name,login\nWei Chen,w1\nWei Chen,w2\n", "name,email\nWei Chen,w@x\n",
         "other.csv line 2: Wei Chen may be one.csv line 2 or one.csv line 3, and the files share no column"),
        ("name,login,email\nA,x,e@x\nB,y,E@x\n", "name,login\nC,z\n",
         "E@x is there twice .A, B.: one.csv line 2 and one.csv line 3 have the same email"),
        ("name,id,login\nAda,1,ada\nAda,2,ada2\n", "id,login\n1,ada2\n",
         "have the same id .1. and different ones under login"),
    ],
)  # fmt: skip
def test_rows_that_contradict_are_refused_with_both_lines(tmp_path: Path, one: str, other: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        several(tmp_path, one=one, other=other)


def test_a_role_of_somebodys_own_is_not_staff(tmp_path: Path) -> None:
    names = roster(tmp_path, "name,login,role\nAda,ada,Student\nBob,bob,\nCy,cy,Auditor\nDee,dee,teaching assistant\n")
    assert [one.key for one in names.people] == ["ada", "bob", "cy"]


def test_a_name_may_be_longer_in_another_system(tmp_path: Path) -> None:
    one = "name,id\nAda Lovelace,1\nAnna-Lena Meyer,2\nLee Wei,3\nJosé Núñez,4\n"
    other = "name,id\nA. K. Lovelace,1\nAnnalena Meyer,2\nWei Lee,3\nJose Maria Nunez,4\n"
    assert [person.key for person in several(tmp_path, one=one, other=other).people] == ["1", "2", "3", "4"]


def test_an_id_tells_people_of_one_name_apart(tmp_path: Path) -> None:
    names = roster(tmp_path, "name,id,email\nAda Lovelace,0100,ada@x.edu\n")
    assert names.find("", {"sid": "100"})[0] is names.people[0]
    assert names.find("Ada Lovelace", {"sid": "", "email": "other@x.edu"})[0] is names.people[0]
    assert names.find("Ada Lovelace", {"sid": "999"}) == (
        None,
        "the roster has no number 999: Ada Lovelace is 100 there",
    )
