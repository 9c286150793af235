"""Why a task failed, in a row of the table."""

from __future__ import annotations

import msgspec

from autograder.cause.causes import Cause
from autograder.explain.places import place_text
from autograder.report.failure import lines_of
from autograder.report.row_reason import wordings
from autograder.tests.support import graded


def test_each_place_is_that_of_what_is_said_there() -> None:
    """A cause may be in another line than what was seen."""
    cause = Cause("guard", "threads beyond the end take part", "scan.cu:11", "without them, right")
    finding = msgspec.structs.replace(graded("outside").findings[0], what="thread 1 of block 0 read d_in at index 9")
    task = msgspec.structs.replace(graded("outside"), cause=cause, where=cause.where, findings=(finding,))
    seen = place_text(finding.place)
    rows = [row.plain for line in lines_of(task, 3, True, None, 160) for row in line.rows(160)]
    assert rows[0].endswith("scan.cu:11") and any(row.endswith(f"in line {finding.place.line}.") for row in rows)
    assert wordings(task)[-1] == f"out of bounds, {seen}"
    assert "out of bounds, scan.cu:11" not in wordings(task)


def test_the_reason_of_a_wrong_output_is_its_cause_where_one_is_proved() -> None:
    cause = Cause("guard", "threads beyond the end take part", "scan.cu:11", "without them, right")
    wrong = msgspec.structs.replace(
        graded("outside"), verdict="WA", findings=(), reason="wrong at n = 5 and 2 of 9 larger"
    )
    said = wordings(wrong)
    assert "wrong at n = 5" in said and "wrong at n = 5 and 2 of 9 larger" in said
    proved = msgspec.structs.replace(wrong, cause=cause, where=cause.where)
    assert wordings(proved)[-2:] == [cause.title, f"{cause.title}, scan.cu:11"]
    assert "wrong at n = 5" in wordings(proved), "where the table has no room for the title"


def test_a_verdict_s_meaning_stands_only_where_no_reason_fits() -> None:
    """Though it is longer than the reason, with a file name that leaves no room for the place."""
    task = msgspec.structs.replace(graded("outside"), verdict="RTE", cause=None, where=f"{'scan' * 9}.cu:11")
    trap = msgspec.structs.replace(task.findings[0], kind="trap")
    said = wordings(msgspec.structs.replace(task, findings=(trap,)))
    assert said[:2] == ["run-time error", "the kernel trapped"]
