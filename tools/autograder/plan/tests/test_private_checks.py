"""Private cases checked against the lab."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autograder.errors import UsageError
from autograder.plan.private_cases import Prepared
from autograder.plan.private_checks import prepare
from autograder.plan.private_file import PrivateFile, read_file
from autograder.plan.tables import ArraySpec, LabTable, Shape, TaskTable
from classes.tests.support import ROOT, put

pytestmark = pytest.mark.slow

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


def test_the_digest_changes_with_what_decides(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.arange(9, dtype=np.int32))
    made = [prepared(tmp_path, text) for text in ("sizes = [7]", "sizes = [8]", "file = 'in.npy'")]
    np.save(tmp_path / "in.npy", np.arange(1, 10, dtype=np.int32))
    made.append(prepared(tmp_path, "file = 'in.npy'"))
    assert len({one.digest for one in made}) == 4 and "" not in {one.digest for one in made}
    assert prepared(tmp_path, "sizes = [7]").digest == made[0].digest
