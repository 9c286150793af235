"""The table of grades: edits by hand are noticed."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from classes.store import Store
from classes.student_results import rows_of
from classes.tables import write_tables
from classes.tests.small_class import again, cells
from classes.tests.support import put

pytestmark = pytest.mark.slow


def test_an_edited_table_is_noticed_and_stays(out: Path) -> None:
    text = (out / "grades.csv").read_text()
    put(out / "grades.csv", text.replace(",70,", ",90,"))
    said = again(out)
    assert "grades.csv was edited by hand: it stays as it is" in said and "overrides.csv: person,task,points" in said
    assert ",90," in (out / "grades.csv").read_text() and (out / "grades.new.csv").read_text() == text
    # A spreadsheet that saves it in its own way has changed nothing.
    saved = io.StringIO()
    csv.writer(saved, delimiter=";").writerows(csv.reader(io.StringIO(text)))
    put(out / "grades.csv", "\ufeff" + saved.getvalue())
    assert "edited by hand" not in again(out)
    assert (out / "grades.csv").read_text() == text and not (out / "grades.new.csv").exists()


def test_a_run_that_was_killed_has_edited_nothing(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often, after it has said what it will write, and before it has."""

    def killed(path: Path, data: object) -> None:
        raise KeyboardInterrupt

    for points in (11, 12, 13):
        put(out / "overrides.csv", f"person,task,points,reason\nada,naive,{points},x\n")
        with monkeypatch.context() as patched, Store(out).opened() as store, pytest.raises(KeyboardInterrupt):
            patched.setattr("classes.tables.write_whole", killed)
            write_tables(store, rows_of(store))
    assert "edited by hand" not in again(out) and cells(out / "grades.csv")["ada"]["points"] == "73"
