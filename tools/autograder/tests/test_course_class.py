"""A class with a course file: finals in tables and exports, private cases that stay private."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from autograder.classes import finals, private
from autograder.classes.export import export
from autograder.classes.grading import Run, run_class
from autograder.classes.options import Options
from autograder.classes.roster import Person
from autograder.classes.rows import rows_of
from autograder.classes.store import Store
from autograder.classes.term import run_term
from autograder.course.course import parse
from autograder.course.private import Prepared, prepare
from autograder.errors import UsageError
from autograder.plan.private import PrivateSet, load_private, plan_private
from autograder.plan.tables import ArraySpec, LabTable, Shape, TaskTable
from autograder.report.result import TaskResult
from autograder.submission import Private, Settings
from autograder.tests.class_support import ROOT, ROSTER, put, result
from autograder.tests.support import grade_task, runner_script

COURSE = """
course = "Parallel programming"
[late]
percent = 10
[drop]
lowest = 0
[[lab]]
lab = 3
results = "results"
deadline = 2026-10-09T23:59:00
handed_in.grace = 2026-10-10T12:00:00
extensions.adda = "1 day"
[[lab]]
lab = 4
results = "later"
"""
SECRET = "70001"


def graded(tmp_path: Path, course: str = COURSE, answer: dict[str, object] | None = None) -> tuple[Path, str]:
    """A class of three, of whom one has handed in nothing; the graded folder and what people read."""
    for name in ("ada", "grace"):
        put(tmp_path / "subs" / name / "scan.cu", f"// {name}\n")
    put(tmp_path / "roster.csv", ROSTER)
    put(tmp_path / "course.toml", course)
    put(tmp_path / "answer.json", json.dumps(answer or result(90.0)))
    people = Console(file=io.StringIO(), width=160)

    def command(file: Path) -> Sequence[str]:
        return ["/bin/cat", str(tmp_path / "answer.json")]

    run = Run(ROOT, tmp_path / "results", 2, 60.0, people, command, tmp_path / "course.toml")
    run_class(run, Options(3), tmp_path / "subs", tmp_path / "roster.csv")
    assert isinstance(people.file, io.StringIO)
    return tmp_path / "results", people.file.getvalue()


def said(tmp_path: Path, student: str = "", form: str = "") -> str:
    people = Console(file=io.StringIO(), width=160)
    text = run_term(ROOT, tmp_path / "course.toml", student, form, None, "", people)
    assert isinstance(people.file, io.StringIO)
    return text + people.file.getvalue()


def test_finals_are_in_all_tables(tmp_path: Path) -> None:
    results, told = graded(tmp_path)
    rows = {row["person"]: row for row in csv.DictReader(io.StringIO((results / "grades.csv").read_text()))}
    assert (rows["ada"]["points"], rows["ada"]["final"]) == ("90", "90")
    assert (rows["grace"]["points"], rows["grace"]["final"], rows["grace"]["late_by"]) == ("90", "81", "12 h 1 min")
    assert "1 handed in late: 1 with fewer points" in told
    assert "extensions: nobody is called adda; did you mean ada?" in told
    student = json.loads((results / "students/grace.json").read_text())
    assert student["course"]["final"] == 81.0 and student["course"]["lost"] == 9.0
    page = (results / "report.html").read_text()
    assert '<th class="right">final</th>' in page and ">81</td>" in page and "nobody is called adda" in page
    assert "by the course&#39;s rules: 81 (" in (results / "students/grace.html").read_text()
    assert "by the course" not in (results / "students/ada.html").read_text()  # hers are as they were
    export(results, "canvas", tmp_path / "canvas.csv", "Lab 3 (1)")
    assert "Grace Hopper,,101,grace,,81" in (tmp_path / "canvas.csv").read_text()
    export(results, "gradescope", tmp_path / "scope", None)
    assert json.loads((tmp_path / "scope/grace.json").read_text())["score"] == 81.0


def test_without_a_time_nobody_is_silently_on_time(tmp_path: Path) -> None:
    _, told = graded(tmp_path)  # ada has no time; grace's is in the course file
    assert "[[lab]] 3: no time is known for 1 submission: taken as on time, unless handed_in gives one" in told


def test_a_course_file_that_is_gone_is_remembered(tmp_path: Path) -> None:
    results, _ = graded(tmp_path)
    (tmp_path / "course.toml").unlink()
    export(results, "canvas", tmp_path / "canvas.csv", None)
    assert ",81" in (tmp_path / "canvas.csv").read_text()


def test_the_term_and_its_arithmetic(tmp_path: Path) -> None:
    graded(tmp_path)
    table = said(tmp_path)
    assert "81 (-9)" in table and "Parallel programming" in table
    shown = said(tmp_path, "Grace Hopper")
    for line in ("12 h 1 min late: 1 day begun x 10 % = 10 %", "90 - 10 % of 90 = 81", "(81/100 x 1) / 1 x 100 = 81",
                 "due 2026-10-09 23:59, handed in 2026-10-10 12:00", "no results yet"):  # fmt: skip
        assert line in shown
    rows = list(csv.DictReader(io.StringIO(said(tmp_path, form="csv"))))
    assert [(row["person"], row["lab3_final"], row["total"]) for row in rows] == [
        ("ada", "90", "90"), ("grace", "81", "81"), ("soren", "0", "0")
    ]  # fmt: skip
    people = json.loads(said(tmp_path, form="json"))["people"]
    assert people[1]["labs"][0]["why"][0].startswith("core 90 of 100")
    assert "Grace Hopper,,101,grace,,81" in said(tmp_path, form="canvas")
    assert "Grace Hopper,grace@example.edu,101,81" in said(tmp_path, form="moodle")
    with pytest.raises(UsageError, match="nobody is called 'grac'; did you mean grace"):
        said(tmp_path, "grac")


TABLE = LabTable(3, "scan", "Scan", [TaskTable("naive", 100_000, [1], 10, variants=["sum", "max"]),
                                     TaskTable("blelloch", 500, [1], 10)])  # fmt: skip


def prepared(tmp_path: Path, text: str) -> Prepared | None:
    course = parse(tmp_path / "course.toml", f"[[lab]]\nlab = 3\n[[lab.private]]\nname = 'a'\n{text}")
    shape = lambda task, variant, n: Shape([ArraySpec("d_in", "int32", n)], [])  # noqa: E731
    return prepare(course, course.lab(3), TABLE, shape)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sizes = [501]", "blelloch takes n from 0 to 500, not 501"),
        ("sizes = [1]\ntasks = ['naiv']", "no task 'naiv'; did you mean 'naive'"),
        ("sizes = [1]\nvariants = ['min']", "no variant 'min'"),
        ("sizes = [1]\ntasks = ['blelloch']\nvariants = ['sum']", "these tasks have no variants"),
        ("sizes = [1]\nweight = 60\n[[lab.private]]\nname = 'b'\nsizes = [2]\nweight = 50", "110 % together"),
        ("file = 'none.npy'", "No such file"),
        ("file = 'course.toml'", "must be .npy"),
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
    def of_course(size: int) -> Prepared | None:
        text = f"[[lab]]\nlab = 1\n[[lab.private]]\nname = 'a'\nsizes = [{size}]"
        return private.prepared(ROOT, parse(tmp_path / "course.toml", text), 1)

    assert of_course(7) is not None
    with pytest.raises(UsageError, match="takes n from"):
        of_course(1 << 40)


def test_the_digest_changes_with_what_decides(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.arange(9, dtype=np.int32))
    made = [prepared(tmp_path, text) for text in ("sizes = [7]", "sizes = [8]", "file = 'in.npy'")]
    np.save(tmp_path / "in.npy", np.arange(1, 10, dtype=np.int32))
    made.append(prepared(tmp_path, "file = 'in.npy'"))
    assert len({one.digest for one in made if one}) == 4
    again, first = prepared(tmp_path, "sizes = [7]"), made[0]
    assert again and first and again.digest == first.digest


def with_cases(tmp_path: Path, *sets: PrivateSet, task: str = "second_block", reference: str = "good") -> TaskResult:
    """A task whose public cases, of up to 100 elements, are right; it is wrong from the second block on."""
    settings = Settings(1, max_n=100, timed=False, private=Private(sets, tmp_path))
    return grade_task(tmp_path, task, settings=settings, reference=runner_script(tmp_path, reference))


def test_a_failing_case_decides_and_shows_what_it_may(tmp_path: Path) -> None:
    for show, said in (("verdict", ()), ("size", ("n = 700",)), ("all", ("n = 700", "again: ", "--n 700"))):
        found = with_cases(tmp_path, PrivateSet("long", sizes=[9, 700], show=show))  # type: ignore[arg-type]
        assert (found.verdict, found.points, found.again) == ("WA", 0.0, "")
        assert found.reason == "wrong in the course's own cases (long)"
        text = "\n".join(found.details)
        assert all(word in text for word in said) and ("700" in text) == bool(said)
        assert "700" not in f"{found.reason} {found.failure} {found.printed} {found.hint} {found.findings}"
        private = found.private[0]
        assert (private.n, private.right, private.total, private.verdict) == (700, 1, 2, "WA")
        assert "--n 700" in private.again


def test_a_right_program_keeps_its_points(tmp_path: Path) -> None:
    found = with_cases(tmp_path, PrivateSet("long", sizes=[0, 9, 700]), task="right")
    assert (found.verdict, found.points, found.private[0].verdict) == ("AC", 6.0, "AC")
    assert with_cases(tmp_path, PrivateSet("long", tasks=["other"], sizes=[700])).private == ()


def test_weights_take_their_part(tmp_path: Path) -> None:
    some = PrivateSet("some", sizes=[700], weight="25")
    found = with_cases(tmp_path, some, PrivateSet("small", sizes=[9], weight="50"))
    assert (found.verdict, found.points) == ("AC", 4.5)  # of 6 without times
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


def test_plans_of_private_cases(tmp_path: Path) -> None:
    sets = [
        PrivateSet("a", tasks=["naive"], sizes=[40_000, 9], seeds=[5]),
        PrivateSet("b", variants=["sum"], sizes=[3]),
    ]
    planned = plan_private(sets, tmp_path, TABLE.tasks[0], 1)
    assert [(case.n, case.variant) for case in planned[0].cases[:2]] == [(9, "sum"), (9, "max")]
    assert len(planned[0].cases) == 3 and set(planned[0].seeds.values()) == {5}
    assert [one.set.name for one in plan_private(sets, tmp_path, TABLE.tasks[1], 1)] == []
    again = plan_private(sets, tmp_path, TABLE.tasks[0], 1)
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


def test_what_is_private_is_in_the_instructors_file_alone(tmp_path: Path) -> None:
    results, told = graded(tmp_path, answer=with_private_cases())
    assert " WA in private cases" in told
    for form in ("gradescope", "classroom50", "exercism", "prairielearn", "junit", "canvas", "moodle"):
        export(results, form, None, None)
    store = Store(results, create=False)
    private.keep(store, Prepared({"sets.json": b'{"lab": 3, "sets": []}'}, "abc"))
    private.write_failures(store, rows_of(store))
    store.close()
    failed = (results / "private/failed.csv").read_text()
    assert SECRET in failed and f"--file {results}/sources/" in failed
    for path in results.rglob("*"):
        if path.is_file() and path.parent.name != "private" and not path.name.startswith("class.sqlite"):
            assert SECRET not in path.read_text() and "70,001" not in path.read_text(), path
    assert SECRET not in told and "private" not in (results / "students/ada.json").read_text()


def test_other_private_cases_are_graded_again(tmp_path: Path) -> None:
    results, _ = graded(tmp_path)
    store = Store(results, create=False)
    before = rows_of(store)[0].grading
    assert before is not None and private.of_version(before.lab) == ""
    private.keep(store, Prepared({"sets.json": b"{}"}, "abc"))
    assert private.version(store, "1234") == "1234+abc" and private.words(store)[0] == "--private"
    assert (results / "private/sets.json").stat().st_mode & 0o077 == 0
    private.keep(store, None)
    assert private.words(store) == [] and not (results / "private").exists()
    store.close()


def test_a_file_of_private_cases_for_another_lab(tmp_path: Path) -> None:
    path = put(tmp_path / "sets.json", '{"lab": 3, "sets": []}')
    assert load_private(path, 3).sets == []
    with pytest.raises(UsageError, match="is for lab 3, not for lab 4"):
        load_private(path, 4)
    with pytest.raises(UsageError, match="writes it"):
        load_private(put(tmp_path / "bad.json", "{"), 3)


def test_the_example_of_the_docs_is_a_course_file() -> None:
    text = (ROOT / "docs/course-file.md").read_text("utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]
    assert parse(Path("/elsewhere/cs149.toml"), example).lab(3).private


def test_an_address_names_a_person_as_on_a_submission() -> None:
    ada = Person("ada@example.edu", "Ada Lovelace", {"email": "ada@example.edu"})
    assert finals.Names({ada.key: ada}).find("Ada") == (ada.key, "")
