"""Private cases stay private in a class."""

from __future__ import annotations

import email
import email.policy
import io
import json
import zipfile
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from rich.console import Console

from autograder.errors import UsageError
from autograder.plan.private_cases import Prepared, PrivateSet, PrivateSets, load_private
from autograder.plan.tests.test_private_checks import written
from classes import private_results
from classes.export_command import FEEDBACK, FORMATS, export
from classes.grading import Run, run_class
from classes.options import Options
from classes.store import Store
from classes.student_results import rows_of
from classes.tests.support import ROOT, ROSTER, put, result

pytestmark = pytest.mark.slow

SECRET = "70001"

NO_CASES = Prepared(PrivateSets(3, []), {})


def graded(tmp_path: Path, answer: dict[str, object] | None = None, cases: Prepared | None = None) -> tuple[Path, str]:
    """A class of three, of whom one has handed in nothing; the graded folder and what people read."""
    for name in ("ada", "grace"):
        put(tmp_path / "subs" / name / "scan.cu", f"// {name}\n")
    put(tmp_path / "roster.csv", ROSTER)
    put(tmp_path / "answer.json", json.dumps(answer or result(90.0)))
    return tmp_path / "results", run_on(tmp_path, cases)


def run_on(tmp_path: Path, cases: Prepared | None = None, *, sandbox: bool = True) -> str:
    """Runs `class` with what `graded` has written."""
    people = Console(file=io.StringIO(), width=160)

    def command(file: Path) -> Sequence[str]:
        return ["/bin/cat", str(tmp_path / "answer.json")]

    run = Run(ROOT, tmp_path / "results", 2, 60.0, people, command, cases)
    run_class(run, Options(3, sandbox=sandbox), tmp_path / "subs", [tmp_path / "roster.csv"])
    assert isinstance(people.file, io.StringIO)
    return people.file.getvalue()


def some_cases(n: int = 7) -> Prepared:
    return Prepared(PrivateSets(3, [PrivateSet("a", sizes=[n])]), {})


def test_the_oracle_that_is_built_says_what_a_lab_takes(tmp_path: Path) -> None:
    def checked(size: int) -> Prepared:
        text = f"lab = 1\n[[cases]]\nname = 'a'\nsizes = [{size}]"
        return private_results.checked(ROOT, written(tmp_path, text, lab=1))

    assert checked(7).digest
    with pytest.raises(UsageError, match="takes n from"):
        checked(1 << 40)


def with_private_cases() -> dict[str, object]:
    answer = result(60.0, "WA", "wrong in the course's own cases (long)")
    tasks = answer["tasks"]
    assert isinstance(tasks, list)
    tasks[0]["private"] = [{
        "name": "long", "verdict": "WA", "right": 0, "total": 1, "weight": "", "show": "verdict", "n": int(SECRET),
        "variant": "sum", "reason": "wrong at n = 70,001", "details": [], "where": "scan.cu:3",
        "again": f"./grader 3 --file scan.cu --n {SECRET}",
    }]  # fmt: skip
    return answer


def plain_text(path: Path) -> str:
    """What is in a file, also in one that is packed or encoded."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return "".join(archive.read(name).decode() for name in archive.namelist())
    if path.suffix == ".eml":
        message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        return "".join(part.get_content() for part in message.walk() if part.get_content_maintype() == "text")
    return path.read_text()


def test_what_is_private_is_in_the_instructors_file_alone(tmp_path: Path) -> None:
    results, told = graded(tmp_path, with_private_cases(), some_cases(int(SECRET)))
    assert " WA in private cases" in told
    tables = {
        "canvas": put(tmp_path / "book.csv", "Student,ID,Section,Lab 3 (5)\n    Points Possible,,,50\nada,31,A,\n"),
        "moodle": put(tmp_path / "sheet.csv", "Identifier,Full name,Grade,Maximum Grade,Last modified (grade),"
                      "Feedback comments\nParticipant 31,ada,,50,-,\n"),
    }  # fmt: skip
    for form in FORMATS:
        with suppress(UsageError) if form in FEEDBACK else nullcontext():  # ada has no address
            export(results, form, None, None, tables.get(form))
    assert len(list(results.glob("canvas.csv"))) == len(list(results.glob("moodle.csv"))) == 1
    failed = (results / "private/failed.csv").read_text()
    assert SECRET in failed and f"--file {results}/sources/" in failed
    for path in results.rglob("*"):
        if path.is_file() and path.parent.name != "private" and not path.name.startswith("class.sqlite"):
            text = plain_text(path)
            assert SECRET not in text and "70,001" not in text, path
    assert SECRET not in told and "private" not in (results / "students/ada.json").read_text()


def test_other_private_cases_are_graded_again(tmp_path: Path) -> None:
    results, _ = graded(tmp_path)
    with Store(results, create=False).opened() as store:
        before = rows_of(store)[0].grading
        assert (
            before is not None and private_results.of_version(before.lab) == "" and private_results.words(store) == []
        )
    assert "2 files to grade" in run_on(tmp_path, some_cases())
    with Store(results, create=False).opened() as store:
        assert (
            private_results.version(store, "1234") == f"1234+{some_cases().digest}"
            and private_results.words(store)[0] == "--private"
        )
    assert (results / "private/sets.json").stat().st_mode & 0o077 == 0
    assert "2 files to grade" in run_on(tmp_path, some_cases(8))
    assert "0 files to grade" in run_on(tmp_path, some_cases(8))


def test_a_run_without_private_cases_keeps_those_of_the_last(tmp_path: Path) -> None:
    results, said = graded(tmp_path, cases=some_cases())
    assert "earlier run" not in said
    said = run_on(tmp_path)
    assert "with the private cases of an earlier run" in said and "0 files to grade" in said
    with pytest.raises(UsageError, match="--no-sandbox: programs could read the private cases"):
        run_on(tmp_path, sandbox=False)
    with pytest.raises(UsageError, match="--no-sandbox"):
        run_on(tmp_path, some_cases(8), sandbox=False)
    mine = put(results / "private/cases.toml", "mine")
    assert "2 files to grade" in run_on(tmp_path, NO_CASES, sandbox=False)
    assert [path.name for path in (results / "private").iterdir()] == [mine.name]  # a file of the instructor's
    mine.unlink()
    run_on(tmp_path, NO_CASES)
    assert not (results / "private").exists()


def test_a_file_of_private_cases_for_another_lab(tmp_path: Path) -> None:
    path = put(tmp_path / "sets.json", '{"lab": 3, "sets": []}')
    assert load_private(path, 3).sets == []
    with pytest.raises(UsageError, match="is for lab 3, not for lab 4"):
        load_private(path, 4)
    with pytest.raises(UsageError, match="writes it"):
        load_private(put(tmp_path / "bad.json", "{"), 3)
