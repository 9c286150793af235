"""A class: faults of the grader, the machine or a file, and seeds. The grader itself is a fake."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from autograder.errors import GraderError
from classes.store import Store
from classes.tests.support import fake_grader, grade_class, log_of, put, table

pytestmark = pytest.mark.slow


def test_a_seed_that_a_page_shows_is_not_that_of_a_later_file(tmp_path: Path, top: Path) -> None:
    grader = fake_grader(tmp_path, f'echo "$text $CUDA_LABS_SEED" >> {tmp_path}/seeds')

    def seeds() -> dict[str, str]:
        return dict(line.rsplit(" ", 1) for line in (tmp_path / "seeds").read_text().splitlines())

    grade_class(top, tmp_path / "out", grader)
    before = seeds()
    put(top / "ada/scan.cu", "// a later file\n")
    grade_class(top, tmp_path / "out", grader)
    assert len({*seeds().values()}) == len(seeds()) == 3 and before.items() <= seeds().items()
    with Store(tmp_path / "out").opened() as store:
        assert len(store.fact("seed", "")) == 16 and store.fact("seed", "") not in seeds().values()


def test_faults_are_graded_again_and_cost_nothing(tmp_path: Path, top: Path) -> None:
    broken = fake_grader(tmp_path, 'echo "grader: IE: no device" >&2; exit 3')
    status, said = grade_class(top, tmp_path / "out", broken)
    assert status == 3 and "a fault of the grader or the machine: grader: IE: no device" in said
    assert {row.status for row in table(tmp_path / "out").values()} == {"fault", "missing"}
    status, _ = grade_class(top, tmp_path / "out", fake_grader(tmp_path))
    assert status == 0 and table(tmp_path / "out")["ada"].points == 70


@pytest.mark.parametrize("code", ["kill -9 $$", "echo '{'; exit 0", "exit 1", "yes | head -c 70000000; exit 0"])
def test_a_grader_that_ends_strangely_is_a_fault(tmp_path: Path, top: Path, code: str) -> None:
    assert grade_class(top, tmp_path / "out", fake_grader(tmp_path, code))[0] == 3


def test_a_machine_that_grades_nothing_stops_the_class(tmp_path: Path) -> None:
    for number in range(20):
        put(tmp_path / f"top/s{number}.cu", f"// {number}\n")
    with pytest.raises(GraderError, match="5 submissions in a row"):
        grade_class(tmp_path / "top", tmp_path / "out", fake_grader(tmp_path, "echo x >> $0.n; exit 3"), 1, roster=None)
    assert len((tmp_path / "grader.sh.n").read_text()) == 2 * 5


def test_a_class_with_five_killers_is_graded_whole(tmp_path: Path) -> None:
    for number in range(5):
        put(tmp_path / f"top/killer{number}.cu", f"device_dies {number}\n")
    put(tmp_path / "top/last.cu", "good\n")
    grader = [sys.executable, "-m", "classes.tests.fake_grade"]
    status, _ = grade_class(tmp_path / "top", tmp_path / "out", grader, 1, roster=None)
    rows = table(tmp_path / "out")
    assert status == 0 and {row.status for row in rows.values()} == {"graded"} and len(rows) == 6
    assert {key: (row.tasks[0]["verdict"], row.points) for key, row in rows.items()} == {
        **{f"killer{number}": ("RTE", 0.0) for number in range(5)}, "last": ("AC", 10.0),
    }  # fmt: skip


def faulty_class(tmp_path: Path, reference: str) -> tuple[str, list[str]]:
    """Six files that nobody can grade, and one that is right; what people read, and what was graded in which order."""
    for number in range(6):
        put(tmp_path / f"top/a{number}.cu", f"device_dies_of_any {number}\n")
    put(tmp_path / "top/b.cu", "good\n")
    script = put(tmp_path / "grade.sh", f'exec {sys.executable} -m classes.tests.fake_grade "$1" {tmp_path}/log\n')
    words = ["/bin/sh", str(script), reference]
    status, said = grade_class(tmp_path / "top", tmp_path / "out", script, 1, roster=None, reference=words)
    assert status == 3
    return said, log_of(tmp_path)


def test_files_that_nobody_can_grade_are_listed_and_the_class_goes_on(tmp_path: Path) -> None:
    said, log = faulty_class(tmp_path, "reference")
    assert log == [
        *(f"device_dies_of_any {number}" for number in range(5)),
        "reference",
        "device_dies_of_any 5",
        "good",
    ]
    assert "the reference solution can be graded: it is these files, so the class goes on" in said
    rows = table(tmp_path / "out")
    assert rows["b"].points == 10 and {rows[f"a{number}"].points for number in range(6)} == {None}
    assert re.search(r"6 need a person\n +6 people +a fault of the grader or the machine: IE: with the reference", said)


def test_a_machine_that_cannot_grade_the_reference_stops_the_class(tmp_path: Path) -> None:
    broken = put(tmp_path / "broken", "device_dies_of_any reference\n")
    with pytest.raises(GraderError, match=r"5 submissions in a row .*\nnor can the reference solution: IE: with the"):
        faulty_class(tmp_path, str(broken))
    assert log_of(tmp_path)[5:] == ["device_dies_of_any reference"]
    assert {row.status for row in table(tmp_path / "out").values()} == {"fault", "waiting"}
