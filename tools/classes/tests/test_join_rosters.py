"""Rosters of several systems are joined."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from classes.roster import Roster
from classes.roster_files import read_rosters
from classes.tests.support import put

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


def test_a_name_may_be_longer_in_another_system(tmp_path: Path) -> None:
    one = "name,id\nAda Lovelace,1\nAnna-Lena Meyer,2\nLee Wei,3\nJosé Núñez,4\n"
    other = "name,id\nA. K. Lovelace,1\nAnnalena Meyer,2\nWei Lee,3\nJose Maria Nunez,4\n"
    assert [person.key for person in several(tmp_path, one=one, other=other).people] == ["1", "2", "3", "4"]
