"""Feedback to students: by mail, as pages, through Moodle and Canvas."""

from __future__ import annotations

import email
import email.policy
import re
import zipfile
from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.page.tests.support import Page
from classes.export_command import export
from classes.tests.small_class import NAME
from classes.tests.support import fake_grader, grade_class, put

pytestmark = pytest.mark.slow

SHEET = f"""Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments
Participant 12,{NAME},a@x.edu,-,,20,-,
Participant 13,Grace Hopper,g@x.edu,-,,20,-,
"""

GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section
"Lovelace, Ada",31,1,ada@uni.edu,A
"Hopper, Grace",32,2,grace@uni.edu,A
"Idle, Ida",33,3,ida,A
"""


def test_mail_has_the_grade_and_the_page(out: Path) -> None:
    said = export(out, "mail", None, "Lab 3: scan")
    assert "out/mail/: 3 files" in said
    one = email.message_from_bytes((out / "mail/ada.eml").read_bytes(), policy=email.policy.default)
    assert one["Subject"] == "Lab 3: scan: 70 of 100" and one["X-Unsent"] == "1" and "ada@example.edu" in one["To"]
    body = one.get_body(("plain",))
    assert body is not None
    lines = body.get_content().splitlines()
    assert lines[0] == "Lab 3: scan: 70 of 100" and lines[2] == "naive: 10 of 40, WA: wrong answer"
    assert lines[3] == "  wrong from n = 33 on"
    (page,) = one.iter_attachments()
    assert "70" in page.get_content() and "grace" not in page.get_content().casefold()
    before = (out / "mail/ada.eml").read_bytes()
    export(out, "mail", None, "Lab 3: scan")
    assert (out / "mail/ada.eml").read_bytes() == before
    refused = email.message_from_bytes((out / "mail/ref.eml").read_bytes(), policy=email.policy.default)
    assert refused["Subject"] == "Lab 3: scan: no grade"


def test_a_feedback_page_has_the_grade_first_and_the_reason_before_all_else(out: Path) -> None:
    export(out, "mail", None, None)
    message = email.message_from_bytes((out / "mail/ada.eml").read_bytes(), policy=email.policy.default)
    page = Page(next(message.iter_attachments()).get_content().encode())
    assert "70 of 100 points" in re.sub(r"\s+", " ", page.inside["h1"] + page.inside["span"])
    assert page.text.index("naive") < page.text.index("wrong from n = 33 on") < page.text.index("blelloch")
    assert not page.values("href") and not page.values("src") and NAME in page.text


def test_moodle_takes_feedback_back(tmp_path: Path) -> None:
    """As importziplib.php reads a name: split at _ into name, number, type and plugin."""
    put(tmp_path / "top/Ada _b_Lovelace_12_assignsubmission_file_/scan.cu", "// first\n")
    put(tmp_path / "top/Grace Hopper_13_assignsubmission_file_/scan.cu", "")
    grade_class(tmp_path / "top", tmp_path / "out", fake_grader(tmp_path), roster=SHEET)
    export(tmp_path / "out", "moodle-feedback", None, None)
    with zipfile.ZipFile(tmp_path / "out/moodle-feedback.zip") as archive:
        found = {}
        for name in archive.namelist():
            folder, file = name.split("/")
            parts = folder.split("_", 4)
            found[parts[1]] = (parts[2:4], file, archive.read(name).decode())
    assert {who: one[:2] for who, one in found.items()} == {
        "12": (["assignfeedback", "file"], "feedback.html"), "13": (["assignfeedback", "file"], "feedback.html"),
    }  # fmt: skip
    assert "scan.cu is empty" in found["13"][2] and "scan.cu is empty" not in found["12"][2]


def test_canvas_takes_feedback_back(tmp_path: Path) -> None:
    """As infer_comment_context_from_filename reads a name: the first two numbers between _ are user and attachment."""
    put(tmp_path / "top/lovelaceada_LATE_31_9001_scan-1.cu", "// first\n")
    put(tmp_path / "top/hoppergrace_32_9002_scan.cu", "// second\n")
    grade_class(tmp_path / "top", tmp_path / "out", fake_grader(tmp_path), roster=GRADEBOOK)
    assert "2 people" in export(tmp_path / "out", "canvas-feedback", None, None)
    with zipfile.ZipFile(tmp_path / "out/canvas-feedback.zip") as archive:
        ids = [[part for part in name.split("_") if part.isdigit()][:2] for name in archive.namelist()]
    assert ids == [["31", "9001"], ["32", "9002"]]
    assert "2 files" in export(tmp_path / "out", "mail", None, None), "a login that is an address"
    with pytest.raises(UsageError, match=r"nobody to tell; nothing for 2: .*: no number in Moodle"):
        export(tmp_path / "out", "moodle-feedback", None, None)
    assert not (tmp_path / "out/moodle-feedback.zip").exists()
