"""A roster: who is in it, and who is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.tests.class_support import roster


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
    with pytest.raises(UsageError, match="Anna Schmidt is there twice"):
        roster(tmp_path, sheet.replace("12", "11"))


def test_a_number_that_is_not_in_the_worksheet_is_nobodys(tmp_path: Path) -> None:
    names = roster(tmp_path, "Identifier,Full name,Status,Grade\nParticipant 11,Anna Schmidt,,\n")
    assert names.find("Anna Schmidt", {"moodle": "12"}) == (
        None, "the roster has no number 12: Anna Schmidt is 11 there",
    )  # fmt: skip
    assert names.find("Anna Schmidt", {})[0] == names.people[0]
