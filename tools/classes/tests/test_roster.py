"""A roster: who is in it, and who is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from classes.tests.support import roster


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


def test_a_role_of_somebodys_own_is_not_staff(tmp_path: Path) -> None:
    names = roster(tmp_path, "name,login,role\nAda,ada,Student\nBob,bob,\nCy,cy,Auditor\nDee,dee,teaching assistant\n")
    assert [one.key for one in names.people] == ["ada", "bob", "cy"]


def test_an_id_tells_people_of_one_name_apart(tmp_path: Path) -> None:
    names = roster(tmp_path, "name,id,email\nAda Lovelace,0100,ada@x.edu\n")
    assert names.find("", {"sid": "100"})[0] is names.people[0]
    assert names.find("Ada Lovelace", {"sid": "", "email": "other@x.edu"})[0] is names.people[0]
    assert names.find("Ada Lovelace", {"sid": "999"}) == (
        None,
        "the roster has no number 999: Ada Lovelace is 100 there",
    )
