"""The handouts: short, a section for each task with the signature of the contract, the rest on the page of costs."""

from __future__ import annotations

import re

import pytest

from autograder.plan.manifest import load
from tests.test_docs import ROOT

LABS = sorted(path.name for path in (ROOT / "labs").glob("[0-9][0-9]-*"))
LONGEST = 150
TASK = re.compile(
    r"^## Task (?P<number>\d+): `(?P<name>\w+)`\n"
    r"\*(?P<points>\d+) points(?P<bonus>, bonus)?\* · `(?P<contract>[^`]+)`\n"
    r"(?P<text>.*?)(?=^## |^Stuck)",
    re.MULTILINE | re.DOTALL,
)


def handout(lab: str) -> str:
    return (ROOT / "labs" / lab / "README.md").read_text("utf-8")


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("lab", LABS)
def test_a_handout_has_a_section_for_each_task(lab: str) -> None:
    told = [
        (int(task["number"]), task["name"], float(task["points"]), task["bonus"] is None)
        for task in TASK.finditer(handout(lab))
    ]
    tasks = load(ROOT / "labs" / lab).task
    assert told == [(number, task.name, task.points, task.core) for number, task in enumerate(tasks, 1)]


@pytest.mark.parametrize("lab", LABS)
def test_its_signatures_are_those_of_the_contract(lab: str) -> None:
    contract = words((ROOT / "labs" / lab / f"{lab[3:]}.h").read_text("utf-8"))
    told = [words(task["contract"]) for task in TASK.finditer(handout(lab))]
    assert not [one for one in told if f"{one};" not in contract]


@pytest.mark.parametrize("lab", LABS)
def test_each_task_says_what_to_look_for(lab: str) -> None:
    assert not [task["name"] for task in TASK.finditer(handout(lab)) if task["text"].count("**Look for**") != 1]


@pytest.mark.parametrize("lab", LABS)
def test_a_handout_is_short_and_leads_to_costs_and_glossary(lab: str) -> None:
    text = handout(lab)
    assert text.count("\n") <= LONGEST
    assert "](costs.md)" in text and "](../../docs/glossary.md)" in text
    assert "](README.md)" in (ROOT / "labs" / lab / "costs.md").read_text("utf-8")
