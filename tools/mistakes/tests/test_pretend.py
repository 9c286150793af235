"""A pretend class is the same for the same seed, and its files are what students could hand in."""

from __future__ import annotations

import random
import re

import pytest

from autograder.cli import ROOT
from autograder.plan.labs import find, folders
from mistakes.pretend import CONSTANT, Lab, people, person

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


@pytest.mark.parametrize("name", LABS)
def test_who_has_all_rungs_defines_each_constant_once(name: str) -> None:
    lab = Lab(find(ROOT, name))
    constants = CONSTANT.findall(lab.submission([lab.right[task] for task in lab.tasks]))
    assert constants and sorted(constants) == sorted(set(constants))


def test_the_seed_makes_the_class() -> None:
    lab = Lab(find(ROOT, "3"))
    made = people(lab, 60, 7)
    assert made == people(lab, 60, 7) != people(lab, 60, 8)
    assert len(set(made)) < len(made), "some hand in the same file"
    assert "" in made
