"""A pretend class is the same for the same seed, and its files are what students could hand in."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from autograder.cli import ROOT
from autograder.plan.labs import file_of, find, folders
from autograder.plan.request import Request
from autograder.session import grade
from mistakes.pretend import Lab, people, person

LABS = [folder.name for folder in folders(ROOT).values()]


@pytest.mark.parametrize("name", LABS)
def test_each_task_of_a_submission_is_there_once(name: str) -> None:
    lab = Lab(find(ROOT, name))
    for seed in range(10):
        text = person(lab, random.Random(seed))
        for task in lab.tasks:
            defined = re.findall(rf"^(?:void|int|float|std::size_t|[\w:]+\*?) {task}\(.*(?<!;)$", text, re.MULTILINE)
            assert len(defined) == 1, (name, seed, task, defined)
        headers = [found for found in re.findall(r'#include "([\w.]+)"', text) if (lab.solution / found).exists()]
        assert not headers, "headers of the solution are not the student's to include"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["03-scan", "11-convolution"])  # tasks that share headers, and define the same names
def test_right_pieces_make_a_right_file(name: str, tmp_path: Path) -> None:
    lab = Lab(find(ROOT, name))
    file = tmp_path / file_of(ROOT, name).name
    file.write_text(lab.submission([lab.right[task] for task in lab.tasks]))
    result, _ = grade(ROOT, Request(lab.folder, file=file, timed=False, max_n=300, device="virtual"))
    assert [task.verdict for task in result.tasks] == ["AC"] * len(lab.tasks)


def test_the_seed_makes_the_class() -> None:
    lab = Lab(find(ROOT, "3"))
    made = people(lab, 60, 7)
    assert made == people(lab, 60, 7) != people(lab, 60, 8)
    assert len(set(made)) < len(made), "some hand in the same file"
    assert "" in made
