"""What happens after the grade: feedback, changes by hand, batches of late work, who needs a person, the page."""

from __future__ import annotations

import csv
import email
import email.policy
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.page.tests.support import Page
from autograder.plan.private_cases import SETS
from classes import private_results
from classes.batches import begin_batch
from classes.export_command import export
from classes.options import Options
from classes.store import Store
from classes.student_results import rows_of
from classes.tables import write_tables
from classes.tests.support import fake_grader, grade_class, log_of, put, table

pytestmark = pytest.mark.slow
NAME = "Ada <b>_Lovelace"
ROSTER = f"""name,login,email,id,section
{NAME},ada,ada@example.edu,100,A
Grace Hopper,grace,grace@example.edu,101,B
Idle Person,idle,not an address,102,B
Ref Used,ref,ref@example.edu,103,B
"""
SHEET = f"""Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments
Participant 12,{NAME},a@x.edu,-,,20,-,
Participant 13,Grace Hopper,g@x.edu,-,,20,-,
"""
GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section
"Lovelace, Ada",31,1,ada@uni.edu,A
"Hopper, Grace",32,2,grace@uni.edu,A
"Idle, Ida",33,3,ida,A
"""


def seeds(grader: Path, tmp_path: Path) -> Path:
    """A grader that also writes down the seed of each file."""
    text = grader.read_text().replace("text=$(cat", f'echo "$CUDA_LABS_SEED" >> {tmp_path}/seeds\ntext=$(cat')
    grader.write_text(text)
    return grader


@pytest.fixture
def out(tmp_path: Path) -> Path:
    put(tmp_path / "top/ada/scan.cu", "// first\n")
    put(tmp_path / "top/grace/my_scan.cu", "// second\n")
    put(tmp_path / "top/ref/scan.cu", "")
    grade_class(tmp_path / "top", tmp_path / "out", seeds(fake_grader(tmp_path), tmp_path), roster=ROSTER)
    return tmp_path / "out"


def again(out: Path, **more: str) -> str:
    return grade_class(out.parent / "top", out, out.parent / "grader.sh", roster=ROSTER, **more)[1]  # type: ignore[arg-type]


def cells(path: Path) -> dict[str, dict[str, str]]:
    return {line["person"]: line for line in csv.DictReader(io.StringIO(path.read_text()))}


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


def test_a_grade_can_be_changed_by_hand(out: Path) -> None:
    put(out / "overrides.csv", "person,task,points,reason\nada,naive,25.5,the barrier is there\n"
        "Ref Used,,40,handed in by mail\n")  # fmt: skip
    said = again(out)
    assert "2 changed by hand: ada, ref" in said
    assert "70 → 85.5: naive 25.5: the barrier is there" in (out / "report.html").read_text()
    lines = cells(out / "grades.csv")
    assert [lines[key]["points"] for key in ("ada", "grace", "idle", "ref")] == ["85.5", "70", "", "40"]
    assert "changed by hand: naive 25.5 points: the barrier is there" in lines["ada"]["remarks"]
    assert "handed in by mail" in (out / "students/ref.html").read_text()
    for page in ("report.html", "students/ada.html"):
        assert "the barrier is there" in (out / page).read_text(), page
    export(out, "markdown", None, None)
    assert (
        "| 85.5 of 100 |" in (out / "markdown.md").read_text() and "| 40 of 100 |" in (out / "markdown.md").read_text()
    )
    export(out, "gradescope", None, None)
    assert json.loads((out / "gradescope/ada.json").read_text())["score"] == 85.5
    assert json.loads((out / "gradescope/ref.json").read_text())["score"] == 40
    put(out / "overrides.csv", "person,task,points,reason\nada,naive,20,looked at again\n")
    again(out)
    audit = list(csv.DictReader(io.StringIO((out / "audit.csv").read_text())))
    assert [(one["person"], one["points"], bool(one["until"])) for one in audit] == [
        ("ada", "25.5", True), ("ref", "40", True), ("ada", "20", False),
    ]  # fmt: skip
    assert audit[0]["graded"] == "70" and audit[1]["graded"] == ""


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("adda,naive,5,x", "line 2: nobody is called 'adda'"), ("ada,navie,5,x", "line 2: no task is called 'navie'"),
        ("ada,naive,41,x", "from 0 to 40 is expected"), ("ada,naive,-1,x", "from 0 to 40"),
        ("ada,naive,much,x", "'much': a number"), ("ada,,5,", "line 2: say why"),
        ("ada,naive,5,x\nada,naive,6,y", "lines 2 and 3 both change naive of ada"),
        ("ada,naive,5,x\nada,all,6,y", "lines 2 and 3 both change"),
    ],
)  # fmt: skip
def test_overrides_that_cannot_be_meant_are_refused(out: Path, lines: str, says: str) -> None:
    put(out / "overrides.csv", f"person,task,points,reason\n{lines}\n")
    with pytest.raises(UsageError, match=re.escape(says)):
        export(out, "canvas", None, None)
    with pytest.raises(UsageError, match=re.escape(says)):
        again(out)


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


def test_late_work_is_a_batch_with_a_seed_of_its_own(out: Path, tmp_path: Path) -> None:
    """The same bytes are graded again, with another seed; the first batch stays as it is."""
    before = (out / "grades.csv").read_text()
    put(tmp_path / "late/ada/scan.cu", "// first\n")
    put(tmp_path / "late/idle/scan.cu", "// third\n")
    status, said = grade_class(tmp_path / "late", out, tmp_path / "grader.sh", roster=None, batch="late")
    assert status == 0 and "2 files to grade" in said
    assert log_of(tmp_path).count("// first") == 2 and len(set((tmp_path / "seeds").read_text().split())) == 4
    assert (out / "grades.csv").read_text() == before
    late = table(out / "batches/late")
    assert {key: row.status for key, row in late.items()} == {"ada": "graded", "idle": "graded"}
    assert "2 people" in said and "not begun" not in said, "the others have handed in before"
    assert f"./grader export {out} --batch late --format FORMAT" in said
    export(out, "json", None, None, batch="late")
    lines = (out / "batches/late/json.json").read_text()
    assert '"idle"' in lines and '"grace"' not in lines
    grade_class(tmp_path / "late", out, tmp_path / "grader.sh", roster=None, batch="late")
    assert len((tmp_path / "seeds").read_text().split()) == 4, "the same command continues"
    assert "batches/late/report.html" in (out / "report.html").read_text()
    with pytest.raises(UsageError, match="letters, digits"):
        export(out, "canvas", None, None, batch="../x")
    with pytest.raises(UsageError, match="holds no graded class"):
        export(out, "canvas", None, None, batch="never")


def test_a_batch_has_the_classs_private_cases(out: Path) -> None:
    with Store(out).opened() as store:
        store.set_fact("private", "abc")
        put(out / "private/sets.json", "{}")
        put(out / f"private/{'0' * 24}.npz", "x")
        put(out / "private/notes.txt", "mine")
    begin_batch(out, "late", Options(3))
    with Store(out / "batches/late").opened() as store:
        assert private_results.digest(store) == "abc" and private_results.words(store)[1].endswith(
            "late/private/sets.json"
        )
    kept = sorted((out / "batches/late/private").iterdir())
    assert [path.name for path in kept] == [f"{'0' * 24}.npz", SETS] and kept[0].stat().st_mode & 0o077 == 0
    with pytest.raises(UsageError, match="was graded with no such options, this run has --max-n 5"):
        begin_batch(out, "late", Options(3, more=("--max-n", "5")))
    with pytest.raises(UsageError, match="holds results of lab 3"):
        begin_batch(out, "late", Options(4))


def test_reading_a_class_while_it_is_graded(out: Path) -> None:
    with Store(out).opened() as store:
        assert "people" in export(out, "junit", None, None)
        with pytest.raises(UsageError, match="another grader is at work"):
            again(out)
        assert store.count() == 4
