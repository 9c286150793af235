"""Who is meant by a name."""

from __future__ import annotations

from pathlib import Path

from classes.tests.support import put, roster
from classes.tests.test_layouts import found


def test_two_strangers_of_one_name_are_two(tmp_path: Path) -> None:
    put(tmp_path / "top/chenwei_1_2_scan.cu")
    put(tmp_path / "top/chenwei_3_4_scan.cu")
    rows = found(tmp_path / "top", None)
    assert list(rows) == ["chenwei (chenwei_1_2_scan.cu)", "chenwei (chenwei_3_4_scan.cu)"]
    assert [row.person.fields["canvas"] for row in rows.values() if row.person.known] == ["1", "3"]


def test_nobody_is_guessed(tmp_path: Path) -> None:
    names = roster(tmp_path, "name,login\nWei Chen,wei1\nChen Wei,wei2\nAda,ada\n")
    person, doubt = names.find("chenwei", {})
    assert person is None and doubt == "2 people of the roster match: wei1, wei2"
    put(tmp_path / "top/ada/scan.cu")
    put(tmp_path / "top/ada.cu", "// another\n")
    put(tmp_path / "top/lab3_ada.cu")
    row = found(tmp_path / "top", names)["ada"]
    assert row.problem.startswith("3 submissions of one person (ada, ada.cu, lab3_ada.cu)") and not row.digest
