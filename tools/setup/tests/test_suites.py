"""make test and make test-all: what is run again, what is said."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from setup import build, test
from setup.console import Failure, Step
from setup.test import Slowest, Suite


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file, where no step builds or sets up anything."""
    subprocess.run(["git", "-C", str(tmp_path), "init", "-q"], check=True)
    (tmp_path / "code.cu").write_text("int x;\n")
    (tmp_path / "build").mkdir()
    (tmp_path / ".gitignore").write_text("build\n")
    monkeypatch.setattr(test, "ROOT", tmp_path)
    monkeypatch.setattr(test, "PASSED", tmp_path / "build/passed.json")
    monkeypatch.setattr(build, "CONFIGURED", tmp_path / "build/configured.json")
    monkeypatch.setattr(test, "need", lambda *_: None)
    for step in ("build_step", "format_check", "lint"):
        monkeypatch.setattr(test, step, lambda _: None)
    return tmp_path


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the suites that were run."""
    names: list[str] = []

    def suite(name: str) -> Suite:
        return Suite(name, lambda step, slowest: names.append(name) or "")  # type: ignore[func-returns-value]

    monkeypatch.setattr(test, "QUICK", [suite("first"), suite("second")])
    monkeypatch.setattr(test, "REST", [suite("rest")])
    return names


def test_all_does_not_repeat_what_has_just_passed(
    sources: Path, ran: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    test.test()
    test.test_all()
    assert ran == ["first", "second", "rest"]
    assert "first: passed before" in capsys.readouterr().out


@pytest.mark.parametrize("change", ["edited", "new", "configured"])
def test_all_repeats_after_a_change(sources: Path, ran: list[str], change: str) -> None:
    test.test()
    name = {"edited": "code.cu", "new": "more.cu", "configured": "build/configured.json"}[change]
    (sources / name).write_text("int y;\n")
    test.test_all()
    assert ran == ["first", "second", "first", "second", "rest"]


def test_an_edit_while_the_tests_run_is_not_what_has_passed(
    sources: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def edits(step: Step, slowest: Slowest) -> str:
        (sources / "code.cu").write_text("int y;\n")
        return ""

    monkeypatch.setattr(test, "QUICK", [Suite("first", edits)])
    test.test()
    assert test.passed() == set()


def test_what_failed_is_run_again(sources: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(step: Step, slowest: Slowest) -> str:
        raise Failure("one test failed")

    whole = test.QUICK
    monkeypatch.setattr(test, "QUICK", [whole[0], Suite("second", fails)])
    with pytest.raises(Failure, match="failed: second"):
        test.test()
    monkeypatch.setattr(test, "QUICK", whole)
    test.test_all()
    assert ran == ["first", "second", "rest"]


def test_without_git_nothing_counts_as_passed(sources: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test, "sources_digest", lambda: "")
    test.test()
    test.test_all()
    assert ran == ["first", "second", "first", "second", "rest"]


CTEST = """
      Start   1: compare.nan
 1/12 Test   #1: compare.nan ......................   Passed    0.02 sec
12/12 Test  #12: lab/naive.every_size/3 ...........***Failed   41.50 sec
"""
PYTEST = """
============================= slowest 10 durations =============================
3.20s call     tools/a/tests/test_b.py::test_c[03-scan/one buffer]
0.10s setup    tools/a/tests/test_b.py::test_d
================= 2 passed in 3.3s =================
"""


def saying(text: str, status: int) -> Callable[..., int]:
    def stream(command: object, line: Callable[[str], None], environment: object) -> int:
        for one in text.splitlines():
            line(one)
        return status

    return stream


def test_the_slowest_tests_are_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    slowest = Slowest()
    with Step("tests") as step:
        monkeypatch.setattr(test, "stream", saying(CTEST, 8))
        with pytest.raises(Failure, match="naive") as failure:
            test.run_ctest(step, slowest)
        assert "compare.nan" not in str(failure.value)
        monkeypatch.setattr(test, "stream", saying(PYTEST, 0))
        assert test.pytest(step, slowest) == "================= 2 passed in 3.3s ================="
    capsys.readouterr()
    slowest.show()
    told = [line.split()[::2] for line in capsys.readouterr().out.splitlines()[1:]]
    assert [seconds for seconds, *_ in told] == ["41.5", "3.2", "0.1", "0.0"]
