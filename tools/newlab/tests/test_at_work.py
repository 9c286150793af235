"""A new lab at work: made, built and graded where the repository is, in a copy of its files."""

from __future__ import annotations

import os
import re
import shutil

import pytest

from autograder.plan.labs import folders
from release.tests.alone import OLD, Alone, possible
from tests.test_docs import ROOT, files

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(possible()), reason=possible()),
    pytest.mark.xdist_group("new-lab"),  # one copy for all
]
CONFIGURED = ("CMakeCache.txt", "CMakeFiles", "build.ninja", "configured.json", "generated")  # as an author's is
NUMBER = max(folders(ROOT)) + 1


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Alone:
    """A copy of the repository, configured, with what was compiled of common/; files must be older than that."""
    made = Alone(tmp_path_factory.mktemp("new-lab"))
    for path in files():
        to = made.tree / path.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
        os.utime(to, (OLD, OLD))
    made.keep_compiled()
    for name in CONFIGURED:
        source, to = ROOT / "build" / name, made.tree / "build" / name
        if source.is_dir():
            shutil.copytree(source, to, ignore=shutil.ignore_patterns("*.dir"))
        else:
            shutil.copy2(source, to)
    return made


def said(alone: Alone, command: str, status: int) -> str:
    done = alone.run(command, PYTHONPATH="tools")
    assert done.returncode == status, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def verdicts(table: str) -> dict[str, str]:
    return dict(re.findall(r"^  (\w+) +([A-Z]{2,5}) ", table, re.MULTILINE))


def test_it_builds_and_grades(alone: Alone) -> None:
    said(alone, "tools/author new-lab stripes --tasks naive,tiled", 0)
    skeleton = said(alone, f"make lab{NUMBER} && ./grader", 1)
    assert "building the virtual GPU" not in skeleton, "it was compiled before"
    assert verdicts(skeleton) == {"naive": "SKIP", "tiled": "SKIP"}
    solution = said(alone, f"make solution{NUMBER} && ./grader {NUMBER} --solution", 0)
    assert verdicts(solution) == {"naive": "AC", "tiled": "AC"} and "100 / 100" in solution
    assert "stripes" in said(alone, f"./grader hint {NUMBER} && ./grader list {NUMBER}", 0).lower()
    honest = said(alone, f".venv/bin/python -m mistakes --honest {NUMBER}", 0)
    assert "1 files, 1 tasks, 0 files with another verdict" in honest


def test_its_mistakes_get_their_verdicts(alone: Alone) -> None:
    said(alone, f".venv/bin/python -m mistakes {NUMBER} naive", 0)


def test_the_figures_of_its_sheets_are_right(alone: Alone) -> None:
    said(alone, f".venv/bin/python -m answers {NUMBER}", 0)
