"""Honest programs in many styles get their marks, or one clear line that says what is not supported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.cli import ROOT
from autograder.plan.labs import folders
from mistakes import honest
from mistakes.catalog import RECORD, place
from mistakes.chosen import chosen_honest
from mistakes.generate import with_headers
from mistakes.honest import Honest, all_honest
from mistakes.tests.conftest import marked

ALL = all_honest(ROOT)
CHOSEN = chosen_honest(ALL)


@pytest.mark.slow
@pytest.mark.parametrize("one", marked(ALL, lambda one: one.title in CHOSEN, lambda one: one.title))
def test_honest(one: Honest, built: Callable[[Path], None]) -> None:
    built(one.lab)
    _, wrong = honest.run(one, ROOT)
    assert not wrong, "\n".join(wrong)


def test_every_file_has_an_entry_and_says_its_style() -> None:
    there = {path for lab in folders(ROOT).values() for path in (place(lab) / "right").glob("*")}
    assert there == {one.source for one in ALL if not one.entry.style}
    assert not [one.title for one in ALL if not one.style]


def test_every_record_has_an_entry() -> None:
    """A record passes as a submission; it is graded as these are."""
    records = {one.source for one in ALL if one.entry.of == RECORD and not one.entry.edit}
    assert records == set((ROOT / "solutions").glob(f"*/{RECORD}"))


def test_every_edit_fits() -> None:
    edits = [one for one in ALL if one.entry.edit]
    assert len(edits) >= 5
    for one in edits:
        assert honest.texts(one) != with_headers(one.source, one.solution), one.title


def test_there_are_enough_and_most_are_no_copies() -> None:
    tasks = sum(len(one.tasks) for one in ALL)
    assert tasks >= 120
    assert sum(len(one.tasks) for one in ALL if not (one.entry.from_solution or one.entry.style)) * 2 >= tasks
    assert {one.lab for one in ALL} == set(folders(ROOT).values())
