"""What `export` takes, and that it destroys nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.errors import UsageError
from classes.export_command import export
from classes.tests.support import put, result


def test_one_result(tmp_path: Path) -> None:
    one = put(tmp_path / "r.json", json.dumps(result()))
    assert json.loads(export(one, "gradescope", None, None))["score"] == 100.0
    with pytest.raises(UsageError, match="is for a class; one result can be: gradescope"):
        export(one, "canvas", None, None)
    for text in ("{", "[]", "{}", '{"schema": "cuda-labs/result/v1"}'):
        with pytest.raises(UsageError, match="not a result of"):
            export(put(tmp_path / "x.json", text), "gradescope", None, None)


def test_exports_destroy_nothing(graded: Path, tmp_path: Path) -> None:
    put(tmp_path / "mine/thesis.tex", "years of work")
    with pytest.raises(UsageError, match="holds other files, which would be lost"):
        export(graded, "gradescope", tmp_path / "mine", None)
    with pytest.raises(UsageError, match="takes a folder"):
        export(graded, "gradescope", tmp_path / "mine/thesis.tex", None)
    put(tmp_path / "other/package.json", "{}")
    with pytest.raises(UsageError, match=r"would be lost: package\.json"):
        export(graded, "gradescope", tmp_path / "other", None)
    for _ in range(2):
        export(graded, "gradescope", tmp_path / "new", None)
    downloaded = put(tmp_path / "gradebook.csv", "Student,ID\n")
    said = export(graded, "junit", downloaded, None)
    (saved,) = tmp_path.glob("gradebook.csv.saved-*")
    assert saved.read_text() == "Student,ID\n" and f"; what was there is saved: {saved}" in said
    assert "saved" not in export(graded, "junit", downloaded, None)
    with pytest.raises(UsageError, match="choose from: canvas, moodle"):
        export(graded, "excel", None, None)
    with pytest.raises(UsageError, match="holds no graded class"):
        export(tmp_path / "nowhere", "canvas", None, None)
    assert (tmp_path / "mine/thesis.tex").read_text() == "years of work"
    assert not (tmp_path / "nowhere").exists()
