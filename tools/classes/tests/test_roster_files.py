"""Rosters as files: what is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from classes.tests.support import roster


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
