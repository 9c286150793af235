"""The pages of a class: one for it, one for each student, with hostile names and results of other versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest

from autograder.page.tests.support import HOSTILE, ROOT, SHOWN, Page, hostile_task
from autograder.page.tests.support import result as whole_result
from classes.needs_person import SIMILAR
from classes.pages import class_page, student_pages
from classes.store import Grading, Store
from classes.student_results import rows_of
from classes.tables import file_names
from classes.tests.support import fake_grader, grade_class, put, result

NAME = '"><script>alert(1)</script> & Co'


@pytest.fixture
def out(tmp_path: Path) -> Path:
    put(tmp_path / "top/ada/scan.cu", "// first\n")
    put(tmp_path / "top/grace.cu", "// second\n")
    put(tmp_path / "top/empty.cu", "")
    put(tmp_path / "top/evil.cu", "// third\n")
    quoted = NAME.replace('"', '""')
    roster = (
        f'name,login,email\nAda Lovelace,ada,ada@example.edu\n"{quoted}",evil,e@example.edu\nIdle,idle,i@example.edu\n'
    )
    grade_class(tmp_path / "top", tmp_path / "out", fake_grader(tmp_path), roster=roster)
    return tmp_path / "out"


def test_each_student_has_a_page_that_is_linked(out: Path) -> None:
    page = Page((out / "report.html").read_bytes())
    links = [unquote(link) for link in page.values("href")]
    assert set(links) == {f"students/{path.name}" for path in (out / "students").glob("*.html")}
    assert len(set(links)) == 5 and all((out / link).is_file() for link in links)
    for words in ("5 people", "3 graded", "1 refused", "Needs a person", "handed in nothing", "70.0 %",
                  "3 × naive: WA wrong from some n on", "Ada Lovelace", NAME, "Memory"):  # fmt: skip
        assert words in page.text, words
    assert [name for name, _ in page.elements].count("script") == 1
    assert "Files that are alike" not in page.text


def test_students_see_their_own_result_only(out: Path) -> None:
    page = Page((out / "students/ada.html").read_bytes())
    assert "wrong from n = 33 on" in page.text and "Ada Lovelace" in page.text
    assert NAME not in page.text and "grace" not in page.text and not [x for x in page.values("href") if "#" not in x]
    refused = Page((out / "students/empty.html").read_bytes())
    assert "No grade refused" in refused.text and "is empty" in refused.text
    assert "No grade handed in nothing" in Page((out / "students/idle.html").read_bytes()).text
    assert NAME in Page((out / "students/evil.html").read_bytes()).text


def test_a_report_of_likeness_is_linked(out: Path) -> None:
    put(out / SIMILAR, "<p>alike</p>")
    with Store(out, create=False).opened() as store:
        rows = rows_of(store)
        page = Page(class_page(store, rows, file_names(rows)))
    assert SIMILAR in page.values("href")


def test_one_student_at_a_time(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However large the class is."""
    asked: list[object] = []
    store = Store(out, create=False)
    try:
        rows = rows_of(store)
        whole = store.whole

        def counted(grading: Grading | None) -> dict[str, Any] | None:
            asked.append(grading)
            return whole(grading)

        monkeypatch.setattr(store, "whole", counted)
        pages = student_pages(store, rows, file_names(rows))
        for number in (1, 2):
            next(pages)
            assert len(asked) == number
    finally:
        store.close()


def test_hostile_results(tmp_path: Path) -> None:
    """As a submission may make them: its texts are in the findings, the source and what it prints."""
    hostile = msgspec.to_builtins(whole_result(hostile_task(), source="scan.cu", text=HOSTILE))
    hostile["tasks"][0]["name"] = "naive"
    put(tmp_path / "top/ada.cu", "// x\n")
    grader = put(tmp_path / "grader.sh", f"cat {put(tmp_path / 'answer.json', json.dumps(hostile))}\n")
    grade_class(tmp_path / "top", tmp_path / "out", grader)
    page = Page((tmp_path / "out/students/ada.html").read_bytes())
    assert page.text.count(SHOWN) > 15 and [name for name, _ in page.elements].count("script") == 1
    summary = Page((tmp_path / "out/report.html").read_bytes())
    assert [name for name, _ in summary.elements].count("script") == 1


def test_a_result_of_another_version(tmp_path: Path) -> None:
    strange = result(70.0) | {"modelled": "perhaps"}
    put(tmp_path / "top/ada.cu", "// x\n")
    grader = put(tmp_path / "grader.sh", f"cat {put(tmp_path / 'answer.json', json.dumps(strange))}\n")
    grade_class(tmp_path / "top", tmp_path / "out", grader)
    page = Page((tmp_path / "out/students/ada.html").read_bytes())
    assert "blelloch 60 of 60" in page.text, "its points and reasons are there"
    assert (tmp_path / "out/report.html").is_file() and ROOT.is_dir()
