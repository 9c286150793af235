"""Private cases: what a task gets for them, and that they stay private in a class."""

from __future__ import annotations

import email
import email.policy
import io
import json
import zipfile
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from autograder.errors import UsageError
from autograder.plan.private_cases import Prepared, PrivateSet, PrivateSets, load_private, plan_private
from autograder.plan.private_checks import prepare
from autograder.plan.private_file import PrivateFile, read_file
from autograder.plan.tables import ArraySpec, LabTable, Shape, TaskTable
from autograder.report.result import TaskResult
from autograder.submission import Private, Settings
from autograder.tests.support import grade_task, runner_script
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


TABLE = LabTable(3, "scan", "Scan", [TaskTable("naive", 100_000, [1], 10, variants=["sum", "max"]),
                                     TaskTable("blelloch", 500, [1], 10)])  # fmt: skip


def written(tmp_path: Path, text: str, root: Path = ROOT, lab: int = 3) -> PrivateFile:
    return read_file(put(tmp_path / "cases.toml", text), root, lab)


def prepared(tmp_path: Path, text: str) -> Prepared:
    file = written(tmp_path, f"lab = 3\n[[cases]]\nname = 'a'\n{text}")
    return prepare(file, TABLE, lambda lab, task, variant, n, seed: Shape([ArraySpec("d_in", "int32", n)], []))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sizes = [501]", "blelloch takes n from 0 to 500, not 501"),
        ("sizes = [1]\ntasks = ['naiv']", "no task 'naiv'; did you mean 'naive'"),
        ("sizes = [1]\nvariants = ['min']", "no variant 'min'"),
        ("sizes = [1]\ntasks = ['blelloch']\nvariants = ['sum']", "these tasks have no variants"),
        ("sizes = [1]\nweight = 60\n[[cases]]\nname = 'b'\nsizes = [2]\nweight = 50", "110 % together"),
        ("file = 'none.npy'", "No such file"),
        ("file = 'cases.toml'", "must be .npy"),
        ("file = 'text.npy'", "not a file of numpy's"),
        ("file = 'floats.npy'", "holds one array: 3 float64|holds d_in: 3 float64"),
    ],
)
def test_private_cases_that_do_not_fit_the_lab(tmp_path: Path, text: str, why: str) -> None:
    put(tmp_path / "text.npy", "no array")
    np.save(tmp_path / "floats.npy", np.zeros(3))
    with pytest.raises(UsageError, match=why):
        prepared(tmp_path, text)


def test_the_oracle_that_is_built_says_what_a_lab_takes(tmp_path: Path) -> None:
    def checked(size: int) -> Prepared:
        text = f"lab = 1\n[[cases]]\nname = 'a'\nsizes = [{size}]"
        return private_results.checked(ROOT, written(tmp_path, text, lab=1))

    assert checked(7).digest
    with pytest.raises(UsageError, match="takes n from"):
        checked(1 << 40)


def test_the_digest_changes_with_what_decides(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.arange(9, dtype=np.int32))
    made = [prepared(tmp_path, text) for text in ("sizes = [7]", "sizes = [8]", "file = 'in.npy'")]
    np.save(tmp_path / "in.npy", np.arange(1, 10, dtype=np.int32))
    made.append(prepared(tmp_path, "file = 'in.npy'"))
    assert len({one.digest for one in made}) == 4 and "" not in {one.digest for one in made}
    assert prepared(tmp_path, "sizes = [7]").digest == made[0].digest


def with_cases(tmp_path: Path, *sets: PrivateSet, task: str = "second_block", reference: str = "good") -> TaskResult:
    """A task whose public cases, of up to 100 elements, are right; it is wrong from the second block on."""
    settings = Settings(1, max_n=100, timed=False, private=Private(sets, lambda name: (tmp_path / name).read_bytes()))
    return grade_task(tmp_path, task, settings=settings, reference=runner_script(tmp_path, reference))


def test_a_failing_case_decides_and_shows_what_it_may(tmp_path: Path) -> None:
    for show, said in (("verdict", ()), ("size", ("n = 700",)), ("all", ("n = 700", "again: ", "--n 700"))):
        found = with_cases(tmp_path, PrivateSet("long", sizes=[9, 700], show=show))  # type: ignore[arg-type]
        assert (found.verdict, found.points, found.again) == ("WA", 0.0, "")
        assert found.reason == "wrong in the course's own cases (long)"
        text = "\n".join(found.details)
        assert all(word in text for word in said) and ("700" in text) == bool(said)
        assert "700" not in f"{found.reason} {found.failure} {found.printed} {found.findings}"
        private = found.private[0]
        assert (private.n, private.right, private.total, private.verdict) == (700, 1, 2, "WA")
        assert "--n 700" in private.again


def test_a_right_program_keeps_its_points(tmp_path: Path) -> None:
    found = with_cases(tmp_path, PrivateSet("long", sizes=[0, 9, 700]), task="right")
    assert (found.verdict, found.points, found.private[0].verdict) == ("AC", 10, "AC")
    assert with_cases(tmp_path, PrivateSet("long", tasks=["other"], sizes=[700])).private == ()


def test_weights_take_their_part(tmp_path: Path) -> None:
    some = PrivateSet("some", sizes=[700], weight="25")
    found = with_cases(tmp_path, some, PrivateSet("small", sizes=[9], weight="50"))
    assert (found.verdict, found.points) == ("AC", 7.5)
    assert found.reason == "wrong in the course's own cases (some): 25 % of the points"
    all_of_it = with_cases(tmp_path, some, PrivateSet("more", sizes=[800], weight="75"))
    assert (all_of_it.verdict, all_of_it.points) == ("AC", 0.0)


def test_cases_that_the_reference_fails_cost_nobody_points(tmp_path: Path) -> None:
    found = with_cases(tmp_path, PrivateSet("long", sizes=[700]), reference="bad")
    assert found.verdict == "IE" and "(long)" in found.reason and "700" not in found.reason


def test_an_input_from_a_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", a0=np.arange(700, dtype=np.int32))
    found = with_cases(tmp_path, PrivateSet("rising", sizes=[700], arrays="in.npz", show="all"))
    assert found.verdict == "WA" and "an input of the course" in " ".join(found.details) and not found.private[0].again
    assert with_cases(tmp_path, PrivateSet("x", sizes=[700], arrays="in.npz"), task="right").verdict == "AC"
    gone = with_cases(tmp_path, PrivateSet("x", sizes=[700], arrays="gone.npz"), task="right")
    assert gone.verdict == "IE" and "gone.npz" in gone.reason


def no_input(name: str) -> bytes:
    raise FileNotFoundError(name)


def test_plans_of_private_cases() -> None:
    sets = [
        PrivateSet("a", tasks=["naive"], sizes=[40_000, 9], seeds=[5]),
        PrivateSet("b", variants=["sum"], sizes=[3]),
    ]
    planned = plan_private(sets, no_input, TABLE.tasks[0], 1)
    assert [(case.n, case.variant) for case in planned[0].cases[:2]] == [(9, "sum"), (9, "max")]
    assert len(planned[0].cases) == 3 and set(planned[0].seeds.values()) == {5}
    assert [one.set.name for one in plan_private(sets, no_input, TABLE.tasks[1], 1)] == []
    again = plan_private(sets, no_input, TABLE.tasks[0], 1)
    assert again[1].cases == planned[1].cases  # a replay meets the same inputs


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
