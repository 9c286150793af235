"""Late work is a batch of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.plan.private_cases import SETS
from classes import private_results
from classes.batches import begin_batch
from classes.export_command import export
from classes.options import Options
from classes.store import Store
from classes.tests.support import grade_class, log_of, put, table

pytestmark = pytest.mark.slow


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
