"""What a student reads of a task."""

from __future__ import annotations

from autograder.report.markdown import markdown
from classes.student_text import told
from classes.tests.support import result


def test_what_a_student_is_told_of_a_task() -> None:
    one = result(60.0, "WA", "wrong from n = 33 on")
    task = one["tasks"][0]  # type: ignore[index]
    task |= {"where": "scan.cu:12", "details": ["seen: race in shared memory"], "kind": "race", "again": "./grader 3"}
    assert told(task).splitlines() == [
        "WA: wrong from n = 33 on", "at scan.cu:12", "seen: race in shared memory", "again: ./grader 3",
    ]  # fmt: skip
    assert "wrong from n = 33 on (scan.cu&#58;12)".replace("(", "&#40;").replace(")", "&#41;") in markdown(one)
    other = one["tasks"][1] | {"verdict": "SKIP", "reason": "not started: scan.cu:12 TODO 2", "where": "scan.cu:12"}  # type: ignore[index]
    assert markdown(one | {"tasks": [other]}).count("scan.cu") == 1  # the place is told once
