"""The mistakes of this repository: every edit applies exactly once, and no two make the same files."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.cli import ROOT
from autograder.errors import UsageError
from autograder.plan.labs import folders
from mistakes.catalog import TO_BE_WRITTEN, find_mistake, mistakes_of
from mistakes.conformance import whatever_else_is_wrong
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


def test_an_unknown_name_is_answered_shortly() -> None:
    """Not by all names, of which many are attacks on the grader."""
    with pytest.raises(UsageError, match=r"no mistake 'zzz'; \./grader mistake 3 lists them$"):
        find_mistake(folders(ROOT)[3], "zzz")
    with pytest.raises(UsageError, match="did you mean 'missing_barrier'"):
        find_mistake(folders(ROOT)[3], "missing_barier")


def test_words_name_the_first_size_that_fails_whatever_larger_ones_do() -> None:
    told = "naive: wrong at n = 1,025 and 3 of 9 larger (max)\nwrong at n = 7 only"
    assert whatever_else_is_wrong(told) == "naive: wrong from n = 1,025 on (max)\nwrong from n = 7 on"
