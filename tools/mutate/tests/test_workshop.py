"""The PTX of an object file, and a small survey from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.plan.labs import find
from mutate.__main__ import main
from mutate.page import ROOT
from mutate.rows import read_csv
from mutate.survey import Options, Survey
from mutate.workshop import normalised, ptx_in

PTX = """
.version 9.0
.target sm_75

.visible .entry {name}(
{{
.loc 1 {line} 5
$L__tmp{line}:
add.s32 %r1, %r2, 1;
ret;
}}
.file 1 "/somewhere/{line}.cu"
.section .debug_str
{{
}}
"""


def test_ptx_is_found_in_an_object_file() -> None:
    text = PTX.format(name="a", line=1)
    data = b"\x7fELF\0\0" + text.encode() + b"\0\0more" + text.encode() + b"\0"
    assert ptx_in(data).count(".visible .entry a") == 2
    assert ptx_in(b"\x7fELF") == ""


def test_lines_and_the_names_of_files_are_no_difference() -> None:
    inner = "_ZN67_GLOBAL__N__{:08x}_9_square_cu_{:08x}_1234{}kernel"
    one = PTX.format(name=inner.format(1, 2, ""), line=10)
    other = PTX.format(name=inner.format(3, 4, ""), line=20)
    assert normalised(one) == normalised(other)
    assert normalised(one) != normalised(one.replace("%r2, 1", "%r2, 2"))
    assert normalised(one) != normalised(one.replace("kernel", "other"))


@pytest.mark.slow
def test_a_survey_rejects_what_is_wrong_and_goes_on_where_it_ended(tmp_path: Path) -> None:
    options = Options(ROOT, ROOT / "build", tmp_path, jobs=2, wanted=3, tell=lambda text: None)
    rows = Survey(options).run([find(ROOT, "1")], ["grid"])
    assert len([row for row in rows if row.verdict != "CE"]) == 3
    assert all(row.verdict in ("CE", "WA", "RTE", "CHECK") for row in rows)
    assert read_csv(tmp_path / "mutants.csv") == rows
    again = Survey(options).run([find(ROOT, "1")], ["grid"])
    assert again == rows, "not done a second time, so the seconds are the same"


@pytest.mark.slow
def test_one_mutant_is_shown_with_what_the_grader_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--labs", "1", "--task", "grid", "--list"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "n → (n) - 1" in line)
    assert main(["--labs", "1", "--task", "grid", "--mutant", line.split()[1]]) == 0
    shown = capsys.readouterr().out
    assert "-    if (i < n)" in shown and "+    if (i < (n) - 1)" in shown
    assert "WA" in shown and "wrong from n = 1 on" in shown
