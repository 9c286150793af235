"""The mistakes of this repository: every edit applies exactly once, and no two make the same files."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.cli import ROOT
from autograder.plan.labs import folders
from mistakes.catalog import TO_BE_WRITTEN, mistakes_of
from mistakes.generate import texts

LABS = list(folders(ROOT).values())


@pytest.mark.parametrize("lab", LABS, ids=[lab.name for lab in LABS])
def test_every_edit_fits_exactly_once(lab: Path) -> None:
    broken: list[str] = []
    made: dict[tuple[tuple[str, str], ...], str] = {}
    for mistake in mistakes_of(lab):
        try:
            files = tuple(sorted(texts(mistake).items()))
        except Exception as error:
            broken.append(str(error))
            continue
        if files in made:
            broken.append(f"{mistake.title} makes the same files as {made[files]}")
        made[files] = mistake.title
        if TO_BE_WRITTEN in (mistake.entry.because, mistake.entry.thought):
            broken.append(f"{mistake.path}: {mistake.name}: because and thought are not written yet")
    assert not broken, "\n".join(broken)
