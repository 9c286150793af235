"""What make says: progress only of what is built, a student's error as ./grader says it."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

import pytest

from setup import build
from setup.console import Failure, Step


def test_nothing_is_named_that_is_not_built(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that is begun is ended, too: output may go to a file."""
    monkeypatch.setattr(build, "log", lambda text: None)
    with Step("building lab 3") as step:
        output = build.Output(step)
        output.line("\x1e0/2\x1eRe-checking globbed directories...")
        step.silent = not output.built
    assert capsys.readouterr().out == ""
    with Step("building lab 3") as step:
        output = build.Output(step)
        output.line("\x1e1/2\x1eBuilding CUDA object scan.cu.o")
        step.silent = not output.built
    assert capsys.readouterr().out.endswith(" s\n")


def test_files_that_are_new_are_no_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """An author adds a task and runs make check."""
    monkeypatch.setattr(build, "log", lambda text: None)
    with Step("building everything") as step:
        output = build.Output(step)
        said = "-- GLOB mismatch!|The following files were added:|  +solutions/13-new/tiled.cu|  -labs/old.cc|  - odd"
        for line in said.split("|"):
            output.line(line)
    assert output.warnings == {"": ["  - odd"]}


def test_an_error_of_a_student_is_told_as_the_grader_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "BUILD", tmp_path / "build")
    monkeypatch.setattr(build, "shown", lambda path: f"build/{path.name}")
    lab = tmp_path / "labs" / "03-scan"
    (lab / "grading").mkdir(parents=True)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "lab3").write_text("of yesterday")
    (lab / "grading" / "lab.toml").write_text('[[task]]\nname = "naive"\n')
    (lab / "scan.cu").write_text("void nave(int n) {\n}\n")
    lines = build.not_built("lab", 3, "ld: main.o: undefined reference to `naive(int)'\n")
    assert lines[0] == "CE  does not compile    scan.cu:1"
    assert "  naive is not defined: scan.cu:1 defines `nave`: write `naive`" in lines
    assert "    undefined reference to `naive(int)'" in lines
    assert lines[-2:] == [
        "  build/lab3 is from an older version of the file: removed",
        "  next: fix scan.cu:1 · then: make lab3 && ./grader",
    ]
    assert not (tmp_path / "build" / "lab3").exists()


@pytest.mark.parametrize(("status", "said"), [(1, "CE  uses what the lab does not allow    scan.cu:3\n"), (0, "")])
def test_a_file_that_breaks_a_rule_is_told_by_make(monkeypatch: pytest.MonkeyPatch, status: int, said: str) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, status, said, "")

    monkeypatch.setattr(build.subprocess, "run", run)  # type: ignore[attr-defined]
    monkeypatch.setattr(build, "log", lambda text: None)
    with pytest.raises(Failure, match="does not allow") if status else contextlib.nullcontext():
        build.check_rules(3)
    assert asked[0][1:] == ["-m", "autograder.build.check_lab", "3"]
