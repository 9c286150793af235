"""The class in figures: by task, by cause, and who has not begun."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.page.tests.support import Page
from classes.statistics import by_task, mistakes, not_begun
from classes.store import Store
from classes.student_results import rows_of
from classes.tests.support import grade_class, put, result

pytestmark = pytest.mark.slow


def answers(tmp_path: Path) -> Path:
    """A grader whose answer depends on the file's text: how many of two tasks are right, or begun."""
    kinds = {"good": result(), "bad": result(70.0, "WA", "wrong from n = 33 on"), "lazy": result(60.0, "SKIP")}
    files = {name: put(tmp_path / f"{name}.json", json.dumps(data)) for name, data in kinds.items()}
    choice = "\n".join(f"*{name}*) cat {path};;" for name, path in files.items())
    return put(tmp_path / "grader.sh", f'case "$(cat "$1")" in\n{choice}\nesac\n')


def test_statistics_tell_failed_from_not_started(tmp_path: Path) -> None:
    for at, kind in enumerate(["good"] * 5 + ["bad"] * 3 + ["lazy"] * 2):
        put(tmp_path / f"top/s{at}/scan.cu", "\n" * 10 + f"line 11\nthe wrong line\nline 13\n// {kind} {at}\n")
    grade_class(tmp_path / "top", tmp_path / "out", answers(tmp_path), roster="name,login\nNo,nothing\n")
    with Store(tmp_path / "out", alone=False).opened() as store:
        rows = rows_of(store)
        naive, blelloch = by_task(rows)
        assert (naive.attempted, naive.failed, naive.skipped, naive.full, naive.median) == (8, 3, 2, 5, 40.0)
        assert (blelloch.failed, blelloch.full, blelloch.discrimination) == (0, 10, None)
        (one,) = mistakes(rows, lambda digest: store.source(digest, "scan.cu").read_text())
        assert not_begun(rows) == ["nothing"]
    assert (one.task, one.cause, one.people) == ("naive", "wrong from some n on", ["s5", "s6", "s7"])
    assert [text for _, text, meant in one.excerpt if meant] == ["the wrong line"] and len(one.excerpt) == 5
    page = Page((tmp_path / "out/report.html").read_bytes())
    assert "the wrong line" in page.text and "Not begun" in page.text
