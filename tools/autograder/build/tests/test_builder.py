"""Building somebody's file: cached, rebuilt when anything changes, errors with short paths."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from pathlib import Path

import pytest

from autograder.build.builder import Builder
from autograder.build.cleanup import forget_outdated, own_object
from autograder.build.rules import Rules
from autograder.cage.cage import unavailable
from autograder.cli import ROOT
from autograder.errors import CompileError, GraderError, UsageError

LAB = """
number = 3
name = "scan"
title = "Scan"
file = "scan.cu"
[[task]]
name = "naive"
points = 10
"""


@pytest.fixture(params=["caged", "free"])
def builder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Builder:
    """A tree whose compiler is cp; a file that says 'mistake' does not compile."""
    if request.param == "caged" and unavailable():
        pytest.skip(unavailable())
    build = tmp_path / "build"
    build.mkdir()
    (tmp_path / "labs" / "03-scan" / "grading").mkdir(parents=True)
    (tmp_path / "labs" / "03-scan" / "grading" / "lab.toml").write_text(LAB)
    (tmp_path / "labs" / "03-scan" / "scan.h").write_text("")
    launcher = "common/cmake/compile_cuda.sh"
    (tmp_path / launcher).parent.mkdir(parents=True)
    shutil.copy(ROOT / launcher, tmp_path / launcher)
    compiler = tmp_path / "compiler"
    compiler.write_text(
        "#!/bin/sh\necho run >> $(dirname $3)/runs\n"
        'if grep -q mistake "$1"; then echo "$1(2): error: expected a \\";\\""; exit 1; fi\ncp "$1" "$3"\n'
    )
    compiler.chmod(0o755)
    lab = {
        "number": 3, "name": "scan", "folder": "03-scan", "parts": "lab3_parts", "solution": [],
        "compile": [str(compiler), "@SOURCE@", "-o", "@OBJECT@"], "link": ["cp", "@OBJECT@", "@EXECUTABLE@"],
    }  # fmt: skip
    (build / "lab_commands.json").write_text(json.dumps({"version": 1, "labs": [lab]}))
    (build / "build.ninja").write_text("")
    made = Builder(tmp_path, sandbox=request.param == "caged")
    monkeypatch.setattr(made, "target", lambda *targets: None)
    monkeypatch.setattr(Rules, "judging", lambda *asked: contextlib.nullcontext())  # see test_rules.py
    return made


def runs(builder: Builder) -> int:
    return sum(path.read_text().count("run") for path in (builder.build / "graded").glob("*/runs"))


def test_a_file_is_built_once(builder: Builder, tmp_path: Path) -> None:
    source = tmp_path / "theirs.cu"
    source.write_text("one")
    runner = builder.file(3, source)
    assert runner.read_text() == "one"
    assert builder.file(3, source) == runner
    assert runs(builder) == 1


def test_a_change_of_file_or_header_builds_again(builder: Builder, tmp_path: Path) -> None:
    source = tmp_path / "theirs.cu"
    source.write_text("one")
    first = builder.file(3, source)
    source.write_text("two")
    second = builder.file(3, source)
    assert second != first and second.read_text() == "two"
    header = tmp_path / "labs" / "03-scan" / "scan.h"
    os.utime(header, (1, 1))  # as in a fresh copy of the repository
    assert builder.file(3, source) == second
    header.write_text("// another")
    assert builder.file(3, source) != second
    assert runs(builder) == 3


def test_changed_rules_judge_again(builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "theirs.cu"
    source.write_text("one")
    first = builder.file(3, source)
    monkeypatch.setattr("autograder.build.keys._our_part", lambda: "with another rule")
    assert builder.file(3, source) != first
    assert runs(builder) == 2


def test_only_a_partial_file_is_linked_to_what_is_not_started(builder: Builder, tmp_path: Path) -> None:
    path = builder.build / "lab_commands.json"
    commands = json.loads(path.read_text())
    linker = tmp_path / "linker"
    linker.write_text('#!/bin/sh\ncat "$1" $3 > "$2"\n')
    linker.chmod(0o755)
    rest = tmp_path / "not_started.o"
    rest.write_text(" and the rest")
    commands["labs"][0] |= {"link": [str(linker), "@OBJECT@", "@EXECUTABLE@"], "not_started": [str(rest)]}
    path.write_text(json.dumps(commands))
    source = tmp_path / "theirs.cu"
    source.write_text("one")
    assert builder.file(3, source).read_text() == "one"
    assert builder.file(3, source, partial=True).read_text() == "one and the rest"
    rest.write_text(" and another rest")
    os.utime(rest, (1, 1))
    assert builder.file(3, source, partial=True).read_text() == "one and another rest"


def test_an_error_has_short_paths_and_is_not_cached(builder: Builder, tmp_path: Path) -> None:
    source = tmp_path / "theirs.cu"
    source.write_text("mistake")
    for _ in range(2):
        with pytest.raises(CompileError) as caught:
            builder.file(3, source)
        assert caught.value.where == "theirs.cu:2"
        assert caught.value.text.startswith("theirs.cu(2): error")


def test_a_program_of_an_older_file_is_not_left(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*targets: str) -> None:
        raise CompileError("scan.cu(2): error")

    monkeypatch.setattr(builder, "target", broken)
    (builder.build / "lab3").write_text("of yesterday")
    with pytest.raises(CompileError):
        builder.lab(3, solution=False)
    assert not (builder.build / "lab3").exists()


def test_an_older_file_that_is_put_back_is_built_again(builder: Builder) -> None:
    """Although it is older than the program."""
    source = builder.root / "labs/03-scan/scan.cu"
    made = own_object(builder.build, "03-scan")
    made.parent.mkdir(parents=True)
    for text in ("first", "second", "first"):
        source.write_text(text)
        os.utime(source, (0, 0))
        forget_outdated(builder.build, source)
        assert not made.exists()
        made.write_text(text)
        forget_outdated(builder.build, source)
        assert made.exists()
    source.unlink()
    forget_outdated(builder.build, source)
    assert made.exists()


def test_a_fingerprint_is_of_one_labs_oracle(builder: Builder) -> None:
    for name in ("liboracle1.so", "liboracle2.so", "device"):
        (builder.build / name).write_text("one")
    first, second = builder.fingerprint(1), builder.fingerprint(2)
    (builder.build / "liboracle2.so").write_text("another")
    assert builder.fingerprint(1) == first and builder.fingerprint(2) != second
    (builder.build / "liboracle1.so").unlink()
    with pytest.raises(GraderError, match=r"liboracle1\.so: No such file"):
        builder.fingerprint(1)


def test_what_is_not_there(builder: Builder, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        builder.file(3, tmp_path / "none.cu")
    os.mkfifo(tmp_path / "pipe.cu")
    with pytest.raises(UsageError, match="not a file"):
        builder.file(3, tmp_path / "pipe.cu")
    with (tmp_path / "long.cu").open("wb") as long:
        long.truncate(1 << 40)
    with pytest.raises(UsageError, match="more than 4 MB"):
        builder.file(3, tmp_path / "long.cu")
    with pytest.raises(GraderError, match="lab 4 is not configured"):
        builder.commands(4)
    (builder.build / "lab_commands.json").write_text("{")
    with pytest.raises(GraderError, match=r"lab_commands\.json"):
        builder.commands(3)


def test_the_build_tools_noise_is_left_out() -> None:
    text = (
        "[1/2] Building CUDA object x.o\nFAILED: x.o \n/usr/bin/nvcc -forward -c x.cu -o x.o\n"
        "x.cu(1): error: expected an expression\nninja: build stopped: subcommand failed.\n"
    )
    assert Builder._without_commands(text) == "x.cu(1): error: expected an expression"
