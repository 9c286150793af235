"""The page of a result, whatever the result is."""

from __future__ import annotations

from pathlib import Path

from autograder.page.result_page import report
from autograder.page.tests.support import (
    HOSTILE,
    ROOT,
    SHOWN,
    Page,
    decoded,
    hostile_task,
    result,
    task,
    time,
)


def test_a_page_without_a_slider_has_no_script() -> None:
    page = Page(report(result(task()), ROOT, None))
    assert "script" not in {name for name, _ in page.elements}
    policy = next(a["content"] for _, a in page.elements if "http-equiv" in a)
    assert "script-src" not in policy


def test_a_file_that_does_not_compile() -> None:
    broken = result(task(verdict="CE", reason=HOSTILE, where="scan.cu:3", details=(HOSTILE,)), compiler=HOSTILE)
    page = Page(report(broken, ROOT, None))
    assert "It does not compile" in page.text and page.text.count(SHOWN) == 3
    rules = Page(report(result(task(verdict="CE", reason="includes cub")), ROOT, None))
    assert "It uses what the lab does not allow" in rules.text


def test_a_lab_that_nobody_has_begun() -> None:
    page = Page(report(result(task("one", "SKIP"), task("two", "SKIP"), source="lab"), ROOT, None))
    assert "Not started" in page.text and page.values("id") == ["task-1", "task-2"]
    assert "The ladder" not in page.text


def test_all_marks_stand_in_the_page_after_json() -> None:
    page = Page(report(decoded(result(hostile_task(), task("best", time=time()), source="lab")), ROOT, None))
    for words in ("Which elements are wrong", "Time over size", "Who touches what", "What it printed", "The ladder",
                  "3 of 33 wrong", "12.3 k", "3,200 / 400", "320 / 10", "0.50×"):  # fmt: skip
        assert words in page.text, words


def test_a_file_that_has_changed_is_not_shown(tmp_path: Path) -> None:
    own = tmp_path / "scan.cu"
    own.write_text("one\ntwo\n// new\n")
    counted = hostile_task()
    page = Page(report(result(counted), ROOT, own))
    assert "The file has changed since it was graded" in page.text and "// new" not in page.text
    assert SHOWN[:100] in page.text  # the line as it was
    own.write_text(f"one\ntwo\n{HOSTILE}\n// four\n")
    page = Page(report(result(counted), ROOT, own))
    assert "has changed" not in page.text and "// four" in page.text
