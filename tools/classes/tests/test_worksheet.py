"""Moodle's worksheet, in any language."""

from __future__ import annotations

from pathlib import Path

import pytest

from classes.tests.support import put, roster
from classes.tests.test_layouts import found

SHEETS = {
    "english": "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments",
    "german": "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,"
    "Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar",
}


def sheet(language: str, blind: bool = False) -> str:
    word = {"english": "Participant", "german": "Teilnehmer/in"}[language]
    rows = [SHEETS[language].split(",")]
    for number, name in ((12, "Wei Chen"), (13, "Wei Chen"), (14, "Ada Lovelace"), (15, "Søren Łukasz")):
        rows.append(
            [f"{word} {number}", name, f"a{number}@x.edu", "No submission - ", "", "100.00", "Yes", "-", "-", ""]
        )
    return "".join(",".join([row[0], *row[3 if blind else 1 :]]) + "\n" for row in rows)


@pytest.mark.parametrize("language", SHEETS)
@pytest.mark.parametrize("blind", [False, True])
def test_moodles_worksheet_in_any_language_and_without_names(tmp_path: Path, language: str, blind: bool) -> None:
    put(tmp_path / f"top/{'Participant' if blind else 'Wei Chen'}_13_assignsubmission_file/scan.cu")
    put(tmp_path / f"top/{'Participant' if blind else 'Ada Lovelace'}_14_assignsubmission_file/scan.cu")
    rows = found(tmp_path / "top", roster(tmp_path, sheet(language, blind)))
    word = {"english": "Participant", "german": "Teilnehmer/in"}[language]
    keys = [f"{word} {number}" if blind else f"a{number}@x.edu" for number in (12, 13, 14, 15)]
    assert list(rows) == keys
    assert [bool(rows[key].digest) for key in keys] == [False, True, True, False]
    assert rows[keys[2]].person.name == (keys[2] if blind else "Ada Lovelace")


def test_other_tables_are_no_worksheets(tmp_path: Path) -> None:
    for text in (
        "id,full name,points,of\nRoom 1,Ada Lovelace,3,10\n", "name,login,a,b\nStudent 1,s1,3,10\n",
        "login,a,b,c\nx 1,,5,10\ny 2,,5,10\n", "id,name,a,b\nA 1,Ada,,x\n",
    ):  # fmt: skip
        people = roster(tmp_path, text)
        assert not [table for table in people.given if table.kind == "moodle"], text
        assert len(people.people) == len(text.splitlines()) - 1 and people.people[0].name
