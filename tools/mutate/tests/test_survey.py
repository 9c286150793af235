"""The survey without a compiler: what is taken, what is kept, what a fault stops."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.plan.manifest import Manifest, TaskEntry
from autograder.plan.tables import LabTable, TaskTable
from mutate.rows import Row, read_csv
from mutate.source import Solution
from mutate.survey import LabAtWork, Options, Survey
from mutate.tests.support import write_solution
from mutate.trial import PASSES, Trial, TrialResult
from mutate.workshop import Built, Workshop

Verdict = Callable[[str], str]  # of the text of one.cu


class FakeWorkshop(Workshop):
    """PTX is what stands in one.cu above the host's code. What names gridDim does not compile."""

    def __init__(self) -> None:
        self.compiled = 0

    def compile(self, unit: str, texts: dict[str, bytes]) -> Built | None:
        self.compiled += 1
        text = texts[unit].decode()
        if "gridDim" in text:
            return None
        folder = tempfile.TemporaryDirectory()
        (Path(folder.name) / "text").write_text(text)
        return Built(folder, Path(folder.name) / "text", text.partition("static void")[0])

    def link(self, built: Built, others: Sequence[Path] = ()) -> Path | None:
        return built.object


class FakeTrial(Trial):
    def __init__(self, verdict: Verdict) -> None:
        self._verdict_of = verdict

    def run(self, path: Path, table: TaskTable) -> TrialResult:
        return TrialResult(self._verdict_of(path.read_text()), 5, "", "because", 3)


class FakeLab(LabAtWork):
    def __init__(self, root: Path, verdict: Verdict) -> None:
        self.manifest = Manifest(1, "small", "Small", "one.cu", [TaskEntry("one", 10)])
        self.number = 1
        self.table = LabTable(1, "small", "Small", [TaskTable("one", 10, [1], 10)])
        self.solution = Solution(root / "solutions" / "01-small")
        self.fake = FakeWorkshop()
        self.workshop = self.fake
        self.trial = FakeTrial(verdict)
        self.texts = {name: source.text for name, source in self.solution.sources.items()}
        self.key = "key"
        self._compiled = {}
        self._lock = threading.Lock()


def tree(root: Path) -> Path:
    for folder in ("labs/01-small/grading", "solutions/01-small"):
        (root / folder).mkdir(parents=True)
    write_solution(root / "solutions" / "01-small")
    (root / "labs/01-small/grading/lab.toml").write_text(
        'number = 1\nname = "small"\ntitle = "Small"\nfile = "one.cu"\n[[task]]\nname = "one"\npoints = 10\n'
    )
    return root


def survey(root: Path, verdict: Verdict, wanted: int = 20) -> tuple[list[Row], FakeLab, Survey]:
    lab = FakeLab(root, verdict)
    options = Options(root, root, root / "out", jobs=4, wanted=wanted, tell=lambda text: None)
    made = Survey(options)
    return made.judge([lab]), lab, made


def rejects_changes(text: str) -> str:
    return PASSES if "d_out[i] = helper(i) + 1" in text and "(n, 32), 32" in text else "WA"


def test_as_many_compile_as_are_wanted_and_the_rest_counts_nowhere(tmp_path: Path) -> None:
    rows, _, made = survey(tree(tmp_path), rejects_changes)
    compiled = [row for row in rows if row.verdict != "CE"]
    assert len(compiled) == 20 and not made.faults
    assert all("gridDim" in row.change for row in rows if row.verdict == "CE")
    assert rows[-1].verdict != "CE", "none is taken beyond the twentieth"


def test_it_takes_the_same_ones_each_time(tmp_path: Path) -> None:
    tree(tmp_path)
    first = [row.id for row in survey(tmp_path, rejects_changes)[0]]
    (tmp_path / "out/mutants.csv").unlink()
    assert [row.id for row in survey(tmp_path, rejects_changes)[0]] == first


def test_what_was_judged_is_not_built_again(tmp_path: Path) -> None:
    rows, _, _ = survey(tree(tmp_path), rejects_changes)
    again, lab, _ = survey(tmp_path, rejects_changes)
    assert again == rows == read_csv(tmp_path / "out/mutants.csv")
    assert lab.fake.compiled == 1, "the original alone"


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    survey(tree(tmp_path), rejects_changes, wanted=5)
    rows, lab, _ = survey(tmp_path, rejects_changes, wanted=6)
    assert len([row for row in rows if row.verdict != "CE"]) == 6
    assert lab.fake.compiled < len(rows)


def test_the_same_ptx_proves_device_code_alone(tmp_path: Path) -> None:
    rows, _, _ = survey(tree(tmp_path), lambda text: PASSES)
    same = {row.file for row in rows if row.verdict == "same PTX"}
    host = {row.verdict for row in rows if row.file == "one.cu" and row.line > 11}
    assert same == {"shared.cuh"} and host == {PASSES}


def test_a_solution_that_is_rejected_itself_is_a_fault(tmp_path: Path) -> None:
    rows, _, made = survey(tree(tmp_path), lambda text: "WA")
    assert not rows and "the solution itself is rejected: WA at n = 5: because" in made.faults[0]


def test_a_fault_in_one_mutant_ends_nobody_else(tmp_path: Path) -> None:
    def fails(text: str) -> str:
        if "if (n == 0) return;" not in text:
            raise OSError("no room")
        return rejects_changes(text)

    rows, _, _ = survey(tree(tmp_path), fails)
    faults = [row for row in rows if row.verdict == "IE"]
    assert faults and len(faults) < len(rows) and "no room" in faults[0].because
    mended, _, _ = survey(tmp_path, rejects_changes)
    assert not [row for row in mended if row.verdict == "IE"], "tried once more"
