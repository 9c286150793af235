"""What make test grades of others' programs: of each kind some, and the rarest."""

from __future__ import annotations

from pathlib import Path

from autograder.cli import ROOT
from mistakes.catalog import Entry, Mistake, all_mistakes
from mistakes.chosen import HOSTILE, by_rarity, chosen_honest, chosen_mistakes
from mistakes.honest import all_honest


def made(name: str, because: str, *verdicts: str, root: int | None = None) -> Mistake:
    entry = Entry(list(verdicts), "thought", because, root=root)  # type: ignore[arg-type]
    return Mistake(Path("labs/03-scan"), Path("sum.toml"), name, "sum", entry)


def test_the_rarest_verdict_comes_first_then_the_rarest_words() -> None:
    common = [made(f"common_{at}", "race", "WA", "CHECK") for at in range(3)]
    rare_words = made("words", "lost", "CHECK", "WA")
    rare = made("verdict", "race", "TLE")
    assert by_rarity([*common, rare_words, rare]) == [rare, rare_words, *common]


def test_one_for_each_task_and_ten_hostile_ones() -> None:
    every = [one for one in all_mistakes(ROOT) if not one.entry.gpu]
    titles = chosen_mistakes(every)
    found = [one for one in every if one.title in titles]
    wrong = [one for one in found if not one.entry.root]
    tasks = {(one.lab, one.task) for one in every if not one.entry.root}
    assert len(wrong) == len(tasks) and {(one.lab, one.task) for one in wrong} == tasks
    hostile = [one for one in found if one.entry.root]
    assert len(hostile) == HOSTILE
    assert {one.entry.root for one in hostile} == {one.entry.root for one in every if one.entry.root}


def test_a_right_program_for_each_lab() -> None:
    every = all_honest(ROOT)
    titles = chosen_honest(every)
    assert sorted(one.lab for one in every if one.title in titles) == sorted({one.lab for one in every})
