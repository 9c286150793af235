"""What tests of several files need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

from autograder.build.builder import SCRATCH, Builder
from autograder.cli import ROOT
from mistakes.tests.entries import ENTRY, OTHER, TASK

T = TypeVar("T")


def marked(programs: Sequence[T], is_chosen: Callable[[T], bool], name: Callable[[T], str]) -> list[ParameterSet]:
    """As parameters of a test; those that make test grades, too, are marked."""
    return [pytest.param(one, id=name(one), marks=[pytest.mark.chosen] if is_chosen(one) else []) for one in programs]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Brings a lab's programs up to date once, and not for each submission: ninja takes a tenth of its time."""

    def once(lab: Path) -> None:
        _bring_up_to_date(int(lab.name[:2]))
        monkeypatch.setenv(SCRATCH, str(ROOT / "build"))

    return once


@cache
def _bring_up_to_date(number: int) -> None:
    builder = Builder(ROOT)
    commands = builder.commands(number)
    also = [f"{commands.name}_not_started"] if commands.not_started else []
    builder.target(f"lab{number}", f"solution{number}", f"oracle{number}", commands.parts, *also)


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A lab with one task, whose solution has a header."""
    lab, solution = tmp_path / "labs" / "03-scan", tmp_path / "solutions" / "03-scan"
    (tmp_path / "tests/submissions/03-scan/wrong").mkdir(parents=True)
    solution.mkdir(parents=True)
    lab.mkdir(parents=True)
    (lab / "grading").mkdir()
    (lab / "grading" / "lab.toml").write_text('[[task]]\nname = "sum"\n')
    (solution / "sum.cu").write_text(TASK)
    (solution / "tile.cuh").write_text("int tile = 32;\n")
    (tmp_path / "tests/submissions/03-scan/wrong/sum.toml").write_text(ENTRY + OTHER)
    return lab
