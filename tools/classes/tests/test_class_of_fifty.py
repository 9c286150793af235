"""A class of fifty whose truth is written down first, through Canvas, Moodle and Gradescope and back, twice.

First the class, then late work as a batch, and between them a change of points in lab.toml.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from autograder.errors import UsageError
from autograder.page.tests.support import time as time_of
from autograder.plan.labs import find
from autograder.plan.manifest import load
from autograder.report.result import LabName, Result, TaskResult
from autograder.verdict import Verdict
from classes.export_command import export
from classes.grading import Run, rescore, run_class
from classes.options import Options
from classes.tests.importers import Canvas, Moodle
from classes.tests.support import ROOT, put, table

pytestmark = pytest.mark.slow
# What each kind of file deserves by lab 3's first three tasks, which are worth 10, 15 and 20; and after the first is
# worth 20. A slow one has 0.6 + 0.4 * 0.3 of a task's points.
TRUTH = {
    "full": (45.0, 55.0), "slow": (40.8, 50.8), "wrong": (25.0, 35.0), "begun": (10.0, 20.0), "broken": (0.0, 0.0),
    "refused": (None, None), "missing": (None, None),
}  # fmt: skip
CLASS = (
    ["full"] * 20 + ["slow"] * 8 + ["wrong"] * 8 + ["begun"] * 4 + ["broken"] * 3 + ["refused"] * 3 + ["missing"] * 4
)
LATE = {43: "full", 44: "wrong", 46: "slow", 47: "full", 0: "full"}  # by person; the last hands in the same bytes again
OLD = {49: "17.5", 45: "3"}  # what the platform has of two who hand in nothing, and nothing that can be graded
TOTAL = (45.0, 55.0)
FIRST = ("Ada", "Søren", "Wei", "Wei", "Anna-Lena", "José", "D'Arcy", "Lee")
LAST = ("Lovelace", "Łukasz", "Chen", "Chen", "Müller", "Núñez", "O'Neil", "Van der Berg")


class Person:
    def __init__(self, at: int) -> None:
        # Every eighth pair are namesakes, two Wei Chens.
        self.at, self.first, self.last = at, FIRST[at % 8], f"{LAST[at % 8]} {chr(65 + at // 8)}"
        self.name, self.id, self.login = f"{self.first} {self.last}", f"{1000 + at}", f"user{at:02}"
        self.email, self.canvas, self.moodle = f"{self.login}@example.edu", f"{300 + at}", f"{7000 + at}"


PEOPLE = [Person(at) for at in range(len(CLASS))]


def result(kind: str, names: Sequence[str], first: float = 10.0) -> Result:
    """As the grader would have it. `first`: what the first task is worth."""
    kinds: dict[str, tuple[Verdict, ...]] = {
        "full": ("AC", "AC", "AC"), "slow": ("AC", "SLOW", "AC"), "wrong": ("AC", "AC", "WA"),
        "begun": ("AC", "SKIP", "SKIP"), "broken": ("CE", "CE", "CE"),
    }  # fmt: skip
    tasks = []
    for name, of, verdict in zip(names, (first, 15.0, 20.0), kinds[kind], strict=True):
        ratio = {"AC": 1.0, "SLOW": 0.25}.get(verdict)
        time = msgspec.structs.replace(time_of(), ratio=ratio, low=ratio, high=ratio) if ratio else None
        points = {"AC": of, "SLOW": 10.8}.get(verdict, 0.0)
        reason = {"AC": "", "SLOW": "4.0 times the reference's time"}.get(verdict, f"{verdict} at n = 33")
        tasks.append(TaskResult(name, points, of, True, verdict, reason=reason, time=time))
    points = round(sum(task.points for task in tasks), 1)
    return Result(
        lab=LabName(3, "scan", "Scan", "03-scan", "scan.cu"), source="scan.cu", device="virtual GPU", modelled=True,
        seed="1", points=points, of=first + 35.0, full_marks=kind == "full", passed=kind == "full", partial=True,
        tasks=tuple(tasks), seconds=1.0, compiler="scan.cu:1: error" if kind == "broken" else "",
    )  # fmt: skip


class Term:
    """A lab of our own, its class, and the grader that answers by the file's first line."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root, self.out = folder, folder / "root", folder / "out"
        shutil.copytree(ROOT / "labs", self.root / "labs")
        self._answer(10.0)
        script = put(folder / "grader.sh", f"echo $CUDA_LABS_SEED >> {folder}/seeds\n"
                     f'cat {folder}/answers/$(head -1 "$1" '
                     "| cut -d' ' -f2)\n")  # fmt: skip
        self.people = Console(file=io.StringIO(), width=160)
        self.run = Run(self.root, self.out, 4, 60.0, self.people, lambda file: ["/bin/sh", str(script), str(file)])
        rows = "".join(f'"{one.name}",{one.login},{one.id}\n' for one in PEOPLE)
        self.own = put(folder / "own.csv", f"name,login,id\n{rows}")

    def grade(self, top: Path, rosters: Sequence[Path], batch: str = "") -> None:
        assert run_class(self.run, Options(3, more=("--no-time",)), top, rosters, batch=batch) == 0

    def _answer(self, first: float) -> None:
        names = [entry.name for entry in load(find(self.root, "3")).task[:3]]
        for kind in ("full", "slow", "wrong", "begun", "broken"):
            put(self.folder / f"answers/{kind}", msgspec.json.encode(result(kind, names, first)))

    def more_points(self) -> None:
        """The class is scored again; what is graded from now on has the new points anyway."""
        self._answer(20.0)
        path = find(self.root, "3") / "grading/lab.toml"
        path.write_text(path.read_text().replace("points = 10\n", "points = 20\n", 1))
        rescore(self.run)

    def seeds(self) -> list[str]:
        return (self.folder / "seeds").read_text().split()


def text_of(at: int, kind: str) -> str:
    return "" if kind == "refused" else f"// {kind} {at}\n__global__ void f{at}() {{}}\n"


def handed() -> dict[int, str]:
    return {at: kind for at, kind in enumerate(CLASS) if kind != "missing"}


def of(points: float | None, maximum: float, total: float) -> Decimal | None:
    """Scaled by hand, down to a hundredth."""
    if points is None:
        return None
    exact = Decimal(str(points)) * Decimal(str(maximum)) / Decimal(str(total))
    return exact.quantize(Decimal("0.01"), ROUND_FLOOR)


def wanted(when: int, maximum: float) -> dict[int, Decimal]:
    """What the platform must have after the class was handed over: `when` 0 before the change of points, 1 after."""
    found = {at: of(TRUTH[kind][when], maximum, TOTAL[when]) for at, kind in enumerate(CLASS)}
    found |= {at: Decimal(text) for at, text in OLD.items()}
    return {at: points for at, points in found.items() if points is not None}


def with_late(before: Mapping[int, Decimal], maximum: float) -> dict[int, Decimal]:
    late = {at: of(TRUTH[kind][1], maximum, TOTAL[1]) for at, kind in LATE.items()}
    return {**before, **{at: points for at, points in late.items() if points is not None}}


@pytest.fixture
def term(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Term:
    made = Term(tmp_path)
    monkeypatch.setattr("classes.export_command.ROOT", made.root)
    return made


def test_canvas(term: Term) -> None:
    title = "Lab 3: scan (4711)"
    site = Canvas(title, 20.0, {one.canvas: (one.id, one.login) for one in PEOPLE})
    site.grades = {PEOPLE[at].canvas: text for at, text in OLD.items()}
    rows = "".join(f'"{one.last}, {one.first}",{one.canvas},{one.id},{one.login},A,5,{OLD.get(one.at, "")},50\n'
                   for one in PEOPLE)  # fmt: skip
    heading = f"Student,ID,SIS User ID,SIS Login ID,Section,Lab 2 (4710),{title},Final Score"
    book = put(term.folder / "book.csv", f"{heading}\n"
               f"    Points Possible,,,,,10,20,(read only)\n{rows}")  # fmt: skip

    def download(folder: str, files: Mapping[int, str], first: int) -> Path:
        for number, (at, kind) in enumerate(files.items(), first):
            one = PEOPLE[at]
            name = "".join(letter for letter in f"{one.last}{one.first}".casefold() if letter.isalnum())
            late = "LATE_" if first > 9000 else ""
            site.attachments[str(number)] = one.canvas
            put(term.folder / folder / f"{name}_{late}{one.canvas}_{number}_scan.cu", text_of(at, kind))
        return term.folder / folder

    def grades() -> dict[int, Decimal]:
        return {one.at: Decimal(site.grades[one.canvas]) for one in PEOPLE if one.canvas in site.grades}

    def hand_over(batch: str = "") -> None:
        export(term.out, "canvas", term.folder / "c.csv", None, batch=batch)
        site.take((term.folder / "c.csv").read_text())
        export(term.out, "canvas-feedback", term.folder / "c.zip", None, batch=batch)
        site.take_feedback((term.folder / "c.zip").read_bytes())

    term.grade(download("top", handed(), 9000), [term.own, book])
    assert {key: row.graded for key, row in table(term.out).items()} == {
        one.login: TRUTH[CLASS[one.at]][0] for one in PEOPLE
    }  # fmt: skip
    hand_over()
    assert grades() == wanted(0, 20) and set(site.feedback) == {PEOPLE[at].canvas for at in handed()}
    term.more_points()
    hand_over()
    assert grades() == wanted(1, 20)
    count = len(term.seeds())
    term.grade(download("late", LATE, 9500), [book], "late")
    assert len(term.seeds()) == count + len(LATE) and len(set(term.seeds())) == len(term.seeds())
    with pytest.raises(UsageError, match="holds no graded class"):
        export(term.out, "canvas", None, None, batch="later")
    hand_over("late")
    assert grades() == with_late(wanted(1, 20), 20) and site.maximum == 20.0


def test_moodle(term: Term) -> None:
    site = Moodle(10.0, {one.moodle for one in PEOPLE})
    site.grades = {PEOPLE[at].moodle: float(text) for at, text in {**OLD, 49: "7.5"}.items()}
    site.comments = {PEOPLE[49].moodle: "by hand,\nin two lines"}
    names = {one.moodle: (one.name, one.email) for one in reversed(PEOPLE)}

    def download(folder: str, files: Mapping[int, str]) -> Path:
        for at, kind in files.items():
            one = PEOPLE[at]
            put(term.folder / folder / f"{one.name}_{one.moodle}_assignsubmission_file_/scan.cu", text_of(at, kind))
        return term.folder / folder

    def hand_over(batch: str = "") -> None:
        sheet = put(term.folder / "sheet.csv", site.worksheet(names))
        export(term.out, "moodle", term.folder / "m.csv", None, sheet, batch)
        site.take((term.folder / "m.csv").read_text())
        export(term.out, "moodle-feedback", term.folder / "m.zip", None, batch=batch)
        site.take_feedback((term.folder / "m.zip").read_bytes())

    def grades() -> dict[int, Decimal]:
        found = {one.at: site.grades.get(one.moodle) for one in PEOPLE}
        return {at: Decimal(str(grade)).quantize(Decimal("0.01")) for at, grade in found.items() if grade is not None}

    before = wanted(0, 10) | {49: Decimal("7.50")}
    emails = put(term.folder / "mail.csv", "id,email\n" + "".join(f"{one.id},{one.email}\n" for one in PEOPLE))
    sheet = put(term.folder / "sheet.csv", site.worksheet(names))
    term.grade(download("top", handed()), [term.own, emails, sheet])
    hand_over()
    assert grades() == before and site.comments[PEOPLE[49].moodle] == "by hand,\nin two lines"
    assert "WA" in site.comments[PEOPLE[30].moodle] and "empty" in site.comments[PEOPLE[43].moodle]
    term.more_points()
    hand_over()
    after = wanted(1, 10) | {49: Decimal("7.50")}
    assert grades() == after
    term.grade(download("late", LATE), [], "late")
    hand_over("late")
    assert grades() == with_late(after, 10)
    assert b"40.8" not in site.feedback[PEOPLE[22].moodle] and b"50.8" in site.feedback[PEOPLE[22].moodle]


def test_gradescope(term: Term) -> None:
    """A roster with staff, groups of one, times with offsets; results.json for each student goes back."""
    rows = "".join(f'"{one.first}","{one.last}",{one.id},{one.email},Student,A\n' for one in PEOPLE)
    roster = put(term.folder / "roster.csv", "First Name,Last Name,SID,Email,Role,Sections\nTim,Helper,,tim@x.edu,TA,\n"
                 f"Ina,Structor,,ina@x.edu,Instructor,\n{rows}")  # fmt: skip

    def download(folder: str, files: Mapping[int, str]) -> Path:
        told = ["---"]
        for at, kind in files.items():
            one = PEOPLE[at]
            put(term.folder / folder / f"submission_{5000 + at}/scan.cu", text_of(at, kind))
            told += [f"submission_{5000 + at}:", "  :submitters:", f'  - :name: "{one.name}"', f"    :sid: '{one.id}'",
                     f"    :email: {one.email}", "  :created_at: 2026-02-01 12:00:00.000000000 -08:00"]  # fmt: skip
        put(term.folder / folder / "submission_metadata.yml", "\n".join(told) + "\n")
        return term.folder / folder

    def scores(batch: str = "") -> dict[int, float]:
        to = term.folder / f"g{batch}"
        export(term.out, "gradescope", to, None, batch=batch)
        found = {path.stem: json.loads(path.read_text()) for path in to.iterdir()}
        assert all(sum(test["score"] for test in one["tests"]) == pytest.approx(one["score"]) for one in found.values())
        return {one.at: found[one.login]["score"] for one in PEOPLE if one.login in found}

    def truth(when: int, files: Mapping[int, str]) -> dict[int, float]:
        return {at: points for at, kind in files.items() if (points := TRUTH[kind][when]) is not None}

    term.grade(download("top", handed()), [term.own, roster])
    assert len(table(term.out)) == len(PEOPLE), "staff are no students"
    assert {row.submission.when for row in table(term.out).values()} == {"2026-02-01T12:00:00-08:00", ""}
    assert scores() == truth(0, handed())
    term.more_points()
    assert scores() == truth(1, handed())
    term.grade(download("late", LATE), [], "late")
    assert scores("late") == truth(1, LATE) and scores() == truth(1, handed())
