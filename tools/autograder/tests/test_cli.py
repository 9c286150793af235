"""The command line: usage errors, and what is imported for a command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from autograder import cli, session
from autograder.build.builder import Builder
from autograder.cage import cage
from autograder.errors import UsageError
from autograder.plan.request import Request
from classes import command as classes
from learn import state
from learn.tests.support import make_lab
from mistakes.catalog import mistakes_of
from mistakes.show import show_all
from tests.test_docs import ROOT


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["grader", *arguments])
    try:
        cli.main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["77"], "there is no lab '77'"),
        (["--nonsense"], "No such option"),
        (["77", "-o", "xml"], "-o xml: must be table or json"),
        (["hint", "nolab"], "there is no lab 'nolab'"),
        (["1", "--n", "-1"], "--n: '-1' is less than 0"),
        (["1", "--n", "1.5"], "--n: '1.5' is not a whole number; write 1000000, 1,000,000, 1e6 or 2^20"),
        (["1", "--max-n", "many"], "--max-n: 'many' is not a whole number"),
        (["explane", "3"], "unknown command 'explane'; did you mean ./grader explain?"),
        (["hints"], "did you mean ./grader hint?"),
        (["1", "--device", "foo"], "--device foo: unknown device; choose from: gpu"),
        (["hint", "1", "4"], "hint 4: one_block has hints 1 to 3"),
        (["hint", "1", "0"], "hint 0: one_block has hints 1 to 3"),
        (["hint", "1", "--task", "gird"], "did you mean 'grid'?"),
    ],
)
def test_usage_errors_are_one_clear_line_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    monkeypatch.setattr(state, "read", lambda _: state.LabState())
    assert call(monkeypatch, *arguments) == 2
    told = capsys.readouterr()
    assert says in told.err
    assert len(told.err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    ["class subs --lab 3 --course c.toml", "export r --format canvas --course=c.toml", "regrade r ada --course c.toml",
     "replay r --course c.toml", "course c.toml --student ada", "course"],
)  # fmt: skip
def test_what_replaced_the_course_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: str
) -> None:
    assert call(monkeypatch, *arguments.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "course: ./grader export hands the points to your platform" in line and "class … --private FILE" in line


def test_the_lab_that_was_built_last_may_be_gone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    (tmp_path / "build").mkdir()
    (tmp_path / "build/last").write_text("solution13\n")
    assert call(monkeypatch, "hint") == 2
    assert "which lab?" in capsys.readouterr().err


def test_the_device_may_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CUDA_LABS_DEVICE", "foo")
    assert call(monkeypatch, "1") == 2
    assert "--device foo" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["grade", "explain"])
def test_without_a_sandbox_other_peoples_files_are_refused(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def graded(root: Path, request: Request, *_: object) -> None:
        raise UsageError(f"{request.sandbox} {request.command(1)}")

    monkeypatch.setattr(cage, "unavailable", lambda: "bubblewrap is not installed: apt install bubblewrap")
    monkeypatch.setattr(session, "grade", graded)
    assert call(monkeypatch, command, "1", "--file", "their.cu") == 2
    told = capsys.readouterr().err
    assert told == (
        "grader: --file needs a sandbox: bubblewrap is not installed: apt install bubblewrap"
        " (or, if you trust the file: --no-sandbox)\n"
    )
    assert call(monkeypatch, command, "1", "--file", "their.cu", "--no-sandbox") == 2
    device = "--device virtual " if command == "explain" else ""  # only that one counts
    assert capsys.readouterr().err == f"grader: False ./grader 1 --file their.cu {device}--no-sandbox\n"
    assert call(monkeypatch, command, "1") == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first == "no sandbox: bubblewrap is not installed: apt install bubblewrap"
    assert second == f"grader: True ./grader 1 {device}".rstrip()


def test_version_and_help(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.startswith("grader ")
    assert call(monkeypatch, "--help") == 0
    assert "--task" in capsys.readouterr().out


def test_help_and_the_list_of_labs_import_only_what_they_need() -> None:
    """The others take most of a second."""
    for command, more in (("--help", "rich"), ("list", "numpy")):
        code = f"""
import sys
import autograder.cli
sys.argv = ["./grader", {command!r}]
try:
    autograder.cli.main()
finally:
    print(sorted({{"numpy", "autograder.session", "tree_sitter", {more!r}}} & set(sys.modules)))
"""
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tools", capture_output=True, text=True)
        assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_commands_that_are_imported_late_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tuple(classes.COMMANDS) == cli.OF_CLASSES
    asked: list[list[str]] = []

    def run(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(words)
        return subprocess.CompletedProcess(words, 3)

    monkeypatch.setattr(subprocess, "run", run)
    assert call(monkeypatch, "doctor") == 3
    assert asked[0][1:] == [str(ROOT / "tools" / "setup"), "doctor"]


def test_a_file_that_is_missing_is_named_with_what_brings_it_back(tmp_path: Path) -> None:
    lab = make_lab(tmp_path, 5)
    (lab / "add.cu").unlink()
    with pytest.raises(UsageError, match=r"labs/05-add/add.cu is missing; .*: ./grader reset 5$"):
        session.build(Builder(tmp_path), Request(lab), 5)


def test_attacks_are_no_mistakes_of_students() -> None:
    out = Console(width=200, color_system=None)
    with out.capture() as captured:
        show_all(out, ROOT / "labs" / "02-reduce")
    listed = captured.get()
    attacks = [one.name for one in mistakes_of(ROOT / "labs" / "02-reduce") if one.entry.root]
    assert attacks and not any(f"  {name} " in listed for name in attacks)
    assert "  barrier_in_branch " in listed


def test_nothing_is_cut_from_mistakes_on_a_narrow_terminal() -> None:
    out = Console(width=60, color_system=None, legacy_windows=False)
    with out.capture() as captured:
        show_all(out, ROOT / "labs" / "02-reduce")
    said = " ".join(captured.get().split())
    assert max(map(len, captured.get().splitlines())) <= 60
    assert all(" ".join(one.entry.thought.split()) in said for one in mistakes_of(ROOT / "labs" / "02-reduce")[:3])


def test_the_seed_may_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where other users of the machine cannot read it, as they can a command line."""
    monkeypatch.setenv("CUDA_LABS_SEED", "no number")
    assert call(monkeypatch, "1") == 2
    assert "--seed no number: must be a hexadecimal number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ("1", True), ("1 -j 1", True), ("1 --all", False), ("1 -o json", False), ("1 --task grid", False),
        ("1 --seed 7f", False), ("1 --no-time", False), ("1 --max-n 100", False), ("solution1", False),
        ("1 --out {out}", False), ("1 --seconds 3", False),
    ],
)  # fmt: skip
def test_only_a_plain_run_of_the_own_file_keeps_verdicts(
    arguments: str, kept: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Request] = []

    def graded(root: Path, request: Request, *_: object) -> None:
        asked.append(request)
        raise UsageError("enough")

    monkeypatch.delenv("CUDA_LABS_SEED", raising=False)
    monkeypatch.setattr(session, "grade", graded)
    call(monkeypatch, *arguments.format(out=tmp_path / "x.json").replace("-j", "--jobs").split())
    assert [one.unchanged for one in asked] == [kept]
