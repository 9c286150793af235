"""A class: graded once, whatever happens; what it leaves behind; what people read. The grader itself is a fake."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.errors import GraderError, UsageError
from classes.store import DATABASE, Grading, Store
from classes.tables import cell
from classes.tests.support import ROOT, fake_grader, grade_class, log_of, outcomes, put, result, table, zipped

pytestmark = pytest.mark.slow

KILLS = 50


def test_a_class(tmp_path: Path, top: Path) -> None:
    put(top / "empty/scan.cu", "")
    status, said = grade_class(top, tmp_path / "out", fake_grader(tmp_path))
    assert status == 0
    assert sorted(log_of(tmp_path)) == ["// first", "// second"]  # equal files are graded once
    rows = table(tmp_path / "out")
    assert {key: row.status for key, row in rows.items()} == {
        "ada": "graded", "grace": "graded", "soren": "missing", "stranger": "graded", "empty": "refused",
    }  # fmt: skip
    for words in (
        "5 people: 3 graded · 1 refused · 1 handed in nothing", "median 70.0 %", "naive                3 failed",
        "refused: scan.cu is empty; not in the roster",
        f"{'ada':<28}  handed in the same file as stranger", "naive WA scan.cu:12",
    ):  # fmt: skip
        assert words in said
    lines = {line["person"]: line for line in csv.DictReader(io.StringIO((tmp_path / "out/grades.csv").read_text()))}
    assert [lines[key]["points"] for key in ("ada", "soren", "empty")] == ["70", "", ""]
    assert lines["ada"]["naive_verdict"] == "WA" and lines["ada"]["blelloch"] == "60"
    one = json.loads((tmp_path / "out/students/ada.json").read_text())
    assert one["result"]["tasks"][0]["reason"] == "wrong from n = 33 on" and one["person"]["email"] == "ada@example.edu"
    assert (tmp_path / "out").stat().st_mode & 0o077 == 0


def test_late_files_are_named(tmp_path: Path) -> None:
    put(tmp_path / "top/lovelaceada_LATE_31_9001_scan.cu", "// first\n")
    put(tmp_path / "top/hoppergrace_32_9002_scan.cu", "// second\n")
    _, said = grade_class(tmp_path / "top", tmp_path / "out", fake_grader(tmp_path), roster=None)
    assert "1 handed in late, which changes no points here: lovelaceada\n" in said


def test_the_same_command_goes_on(tmp_path: Path, top: Path) -> None:
    out, grader = tmp_path / "out", fake_grader(tmp_path)
    grade_class(top, out, grader)
    status, said = grade_class(top, out, grader)
    assert status == 0 and len(log_of(tmp_path)) == 2 and "0 files to grade" in said
    put(top / "ada/scan.cu", "// changed\n")
    (top / "grace.cu").unlink()
    _, said = grade_class(top, out, grader)
    assert log_of(tmp_path)[2:] == ["// changed"] and "no longer in" in said
    put(top / "grace.cu", "// second\n")
    grade_class(top, out, grader)
    assert len(log_of(tmp_path)) == 3


def test_a_submission_that_takes_too_long(tmp_path: Path, top: Path) -> None:
    grader = fake_grader(tmp_path, 'case "$text" in *second) sleep 60 & sleep 60;; esac')
    start = time.monotonic()
    status, said = grade_class(top, tmp_path / "out", grader, seconds=1.5)
    assert status == 0 and time.monotonic() - start < 20
    row = table(tmp_path / "out")["grace"]
    assert (row.status, row.points) == ("time", None) and "took longer than 1.5 s in all (--limit)" in said
    assert "0 files to grade" in grade_class(top, tmp_path / "out", grader, seconds=1.5)[1]
    assert "1 file to grade" in grade_class(top, tmp_path / "out", fake_grader(tmp_path), seconds=9)[1]


def test_one_grader_at_a_time_in_a_folder(tmp_path: Path, top: Path) -> None:
    store = Store(tmp_path / "out")
    with pytest.raises(UsageError, match="another grader is at work there"):
        grade_class(top, tmp_path / "out", fake_grader(tmp_path))
    store.close()
    (tmp_path / "other").mkdir()
    put(tmp_path / "other" / DATABASE, "this is not a database at all, but long enough to be read as one")
    with pytest.raises(UsageError, match="not a database"):
        Store(tmp_path / "other")


def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(store: Store, grading: Grading) -> Grading:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "add", full)
        with pytest.raises(GraderError, match="disk is full; what is stored is safe, the same command continues"):
            grade_class(top, tmp_path / "out", fake_grader(tmp_path))
    assert grade_class(top, tmp_path / "out", fake_grader(tmp_path))[0] == 0


def test_students_do_not_read_our_paths(tmp_path: Path, top: Path) -> None:
    grader = fake_grader(tmp_path)
    grader.write_text(
        grader.read_text().replace("<<'END'", "<<END").replace('"again": ""', '"again": "./grader 3 --file $1"')
    )
    grade_class(top, tmp_path / "out", grader)
    text = (tmp_path / "out/students/ada.json").read_text()
    assert '"again": "./grader 3 --file scan.cu"' in text and str(tmp_path) not in text


def test_stopped_by_hand(tmp_path: Path) -> None:
    for number in range(6):
        put(tmp_path / f"top/s{number}.cu", f"// {number}\n")
    grader = fake_grader(tmp_path, 'case "$text" in *[45]) sleep 60;; esac')
    words = [
        sys.executable,
        "-m",
        "classes.tests.support",
        *map(str, (tmp_path / "top", tmp_path / "out", grader)),
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(log_of(tmp_path)) < 4:
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors
    assert sum(row.status == "graded" for row in table(tmp_path / "out").values()) == 4
    assert (tmp_path / "out/grades.csv").is_file()
    grade_class(tmp_path / "top", tmp_path / "out", fake_grader(tmp_path))
    assert sorted(log_of(tmp_path)) == [f"// {number}" for number in range(6)]


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """The final table equals the undisturbed one, and nothing that was stored has been graded again."""
    for number in range(40):
        put(tmp_path / f"top/s{number:02}/scan.cu", f"// {number // 2 * 2}\n")
    put(tmp_path / "top/broken.zip", zipped({"../x": "a"}))
    grader = fake_grader(tmp_path, 'sleep 0.0$(( $(echo "$text" | tail -c 2) ))')
    grade_class(tmp_path / "top", tmp_path / "quiet", grader, workers=4)
    chance, kills, finished = random.Random(1), 0, False
    while kills < KILLS:
        if finished:  # begin anew: not all kills fit into one class
            subprocess.run(["rm", "-r", tmp_path / "out"], check=True)
        pid = os.fork()
        if pid == 0:
            try:
                grade_class(tmp_path / "top", tmp_path / "out", grader, workers=4)
            finally:
                os._exit(0)
        time.sleep(chance.uniform(0.01, 0.25))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        finished = not os.WIFSIGNALED(status)
        kills += not finished
    grade_class(tmp_path / "top", tmp_path / "out", grader, workers=4)
    for name in ("quiet", "out"):
        store = Store(tmp_path / name)
        digests = {row.digest for row in store.submissions() if row.digest}
        assert len(digests) == 20 and all(len(outcomes(store, digest)) == 1 for digest in digests)
        store.close()
    quiet, out = ((tmp_path / name / "grades.csv").read_text() for name in ("quiet", "out"))
    assert quiet == out and quiet.count("graded") == 40
    assert sorted(path.name for path in (tmp_path / "out/students").iterdir()) == sorted(
        path.name for path in (tmp_path / "quiet/students").iterdir()
    )


def test_what_was_graded_is_never_lost_to_a_fault(tmp_path: Path) -> None:
    store = Store(tmp_path / "out")
    store.add(Grading("d", "graded", 50.0, 100.0, result=json.dumps(result(50.0)).encode()))
    store.add(Grading("d", "fault", message="no device"))
    current = store.current("d")
    assert current and (current.outcome, current.points) == ("graded", 50.0)
    whole = store.whole(current)
    assert whole and whole["device"] == "virtual GPU"
    assert outcomes(store, "d") == ["graded", "fault"]
    store.close()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"), ("-2+3", "'-2+3"),
        (" \t=1", "'    =1"), ("\x00=1", "'=1"), ("-5", "-5"), (-5.0, "-5"), ("a=b", "a=b"), ("", ""), (70.25, "70.25"),
        ("＝1", "'＝1"), ("a\r\nb", "a b"), ("\u202e=1", "'=1"),
    ],
)  # fmt: skip
def test_cells_hold_no_formulas(value: object, shown: str) -> None:
    assert cell(value).replace("'     =1", "'    =1") == shown


def test_names_that_nobody_should_give(tmp_path: Path) -> None:
    """Each is a row, no row harms a terminal, a spreadsheet or a file outside of the folder."""
    names = [
        b"Gr\xe4ce Hopper", b"\x1b[31mred", b"line\nbreak", b"=cmd()|x", b"[bold]rich", b"..evil..", b"-rf", b"a" * 200,
        "\u202eabc".encode(), b"con", b"students", b"'; DROP TABLE submissions; --", b" ", b"%s{0}", b"\xff\xfe",
        b"submission_1", b"x_1_assignsubmission_file_", b"A", b"a", b"<b>", "\ufb01".encode(),
    ]  # fmt: skip
    for name in names:
        folder = os.path.join(os.fsencode(tmp_path / "top"), name)  # noqa: PTH118
        os.makedirs(folder)  # noqa: PTH103
        with open(os.path.join(folder, b"scan.cu"), "w") as file:  # noqa: PTH118, PTH123
            file.write("// a\n")
    status, said = grade_class(tmp_path / "top", tmp_path / "out", fake_grader(tmp_path))
    assert status == 0 and len(log_of(tmp_path)) == 1 and "[bold]rich" in said
    rows = table(tmp_path / "out")
    assert sum(row.status == "graded" for row in rows.values()) == len(names)
    assert rows["grace"].status == "graded"  # ä is a, and its byte is Windows'
    for ending in ("json", "html"):
        assert len(list((tmp_path / "out/students").glob(f"*.{ending}"))) == len(rows)
    text = said + (tmp_path / "out/grades.csv").read_text()
    assert not any(letter in text for letter in "\x1b\x00\u202e\udcff")
    cells = [value for line in csv.reader(io.StringIO((tmp_path / "out/grades.csv").read_text())) for value in line]
    assert not [value for value in cells if value[:1] in ("=", "@", "+") or value.startswith("-r")]
