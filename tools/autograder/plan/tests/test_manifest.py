"""Manifests: what lab.toml says, and that the program agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import GraderError
from autograder.plan.manifest import compare, load

MANIFEST = """
number = 3
name = "scan"
title = "Scan"
file = "scan.cu"
[[task]]
name = "naive"
points = 10
hints = ["a", "b", "c"]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "grading" / "lab.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return folder


def test_manifest(tmp_path: Path) -> None:
    manifest = load(written(tmp_path, MANIFEST))
    assert manifest.entry("naive").points == 10
    assert manifest.entry("naive").hints == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('name = "naive"', 'nam = "naive"'), "unknown field `nam`"),
        (("points = 10", 'points = "ten"'), "Expected `float`, got `str` - at `$.task[0].points`"),
        (('["a", "b", "c"]', '["a"]'), "length >= 3"),
        (("number = 3", "number = "), "Invalid value"),
        (("[[task]]", '[[symptom]]\npattern = "nan"\nhint = "x"\n[[task]]'), "unknown field `symptom`"),
        (("number = 3\n", ""), "missing required field `number`"),
        (
            ("points = 10", 'points = 10\nevidence = {sector = "at most 1"}'),
            "nothing counts 'sector'; choose",
        ),
        (("points = 10", 'points = 10\nevidence = {sectors = "< 1"}'), "begin with 'at most' or 'at least'"),
        (
            ("points = 10", 'points = 10\nevidence = {sectors = "at most n +"}'),
            "'at most n +': invalid syntax",
        ),
        (("points = 10", 'points = 10\nevidence = {sectors = "at most m"}'), "m is neither a number nor n nor warps"),
        (("points = 10", 'points = 10\nevidence = {sectors = "at most n / 0"}'), "division by zero"),
        (("points = 10", "points = 10\nevidence = {lanes = \"at most open('x')\"}"), "open('x') is neither a number"),
    ],
)
def test_manifest_errors_are_clear(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(GraderError) as caught:
        load(written(tmp_path, MANIFEST.replace(*change)))
    assert message in str(caught.value)
    assert "lab.toml" in str(caught.value)


def test_manifest_and_table_must_agree(tmp_path: Path) -> None:
    path = written(tmp_path, MANIFEST)
    compare(load(path), ["naive"], path)
    with pytest.raises(GraderError, match="the table of tasks has naive, fast"):
        compare(load(path), ["naive", "fast"], path)
    with pytest.raises(GraderError, match="No such file"):
        load(tmp_path / "none.toml")
