"""What rows amount to, arguments, and the page."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from autograder.errors import GraderError
from mutate import arguments
from mutate.arguments import Argument
from mutate.mutants import candidates
from mutate.page import PAGE, ROOT, ROWS, cells, page
from mutate.rows import Row, append_csv, count, read_csv, refuted, write_csv
from mutate.source import Solution
from mutate.tests.support import write_solution


def row(id: str, verdict: str, task: str = "grid") -> Row:
    return Row(1, task, id, "edge", "square.cu", 30, "< → <=", verdict, 1, "a, b", 'says "no"', 3, 1.5, "key")


def argument(id: str, kind: str = "equivalent", tasks: str = "") -> Argument:
    assert kind in ("equivalent", "speed")
    why = "one sentence that says why"
    if kind == "speed":
        return Argument(id, "line", "change", "speed", why, tasks.split())
    return Argument(id, "line", "change", "equivalent", why, tasks.split())


ALL = [row("a", "WA"), row("b", "CHECK"), row("c", "same PTX"), row("d", "passes"), row("e", "passes"), row("f", "CE")]


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    write_csv(ALL[:2], tmp_path / "rows.csv")
    append_csv(ALL[2], tmp_path / "rows.csv")
    assert read_csv(tmp_path / "rows.csv") == ALL[:3]


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    write_csv(ALL, path)
    path.write_text(path.read_text()[:-12])
    assert read_csv(path) == ALL[:-1]


def test_the_share_is_of_those_that_are_not_equivalent() -> None:
    total = count(ALL, [])
    assert (total.made, total.same_ptx, total.rejected, total.survivors) == (5, 1, 2, 2)
    assert total.share == 0.5
    argued = count(ALL, [argument("d"), argument("e", "speed")])
    assert (argued.equivalent, argued.speed, argued.survivors, argued.share) == (1, 1, 0, 1.0)
    assert cells(argued).startswith("5 | 1 | 1 | 1 | 2 | 1 | 1 | 0 ")


def test_an_argument_holds_for_the_tasks_it_names() -> None:
    assert count(ALL, [argument("d", tasks="vectorized")]).survivors == 2
    assert count(ALL, [argument("d", tasks="grid vectorized")]).survivors == 1


def test_an_argument_against_a_rejected_mutant_is_refuted() -> None:
    assert refuted(ALL, [argument("a"), argument("d")]) == ["a: argued, but grid is rejected: WA at n = 1"]
    assert not refuted(ALL, [argument("a", tasks="vectorized")])


def test_arguments_are_compared_with_the_source(tmp_path: Path) -> None:
    solution = Solution(write_solution(tmp_path))
    found = candidates(solution, solution.rung("one"))
    one = found[0]
    right = Argument(one.id, one.text, one.change, "speed", "because it only takes longer")
    other = dataclasses.replace(one, text="another line")
    assert not arguments.stale([right], found)
    assert "no such mutant" in arguments.stale([right], found[1:])[0]
    assert "another line" in arguments.stale([right], [other])[0]
    assert "argued twice" in arguments.stale([right, right], found)[0]


@pytest.mark.parametrize("text", ["[[mutant]]\nid = 1", "[[", '[[mutant]]\nid="a"\nwhy="x"', "[[argument]]"])
def test_a_file_of_arguments_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    (tmp_path / arguments.NAME).write_text(text)
    with pytest.raises(GraderError, match=arguments.NAME):
        arguments.load(tmp_path)


def test_an_entry_can_be_read_again(tmp_path: Path) -> None:
    solution = Solution(write_solution(tmp_path))
    found = candidates(solution, solution.rung("one"))
    entries = [arguments.entry(one).replace('why = ""', 'why = "nobody reads what it changes"') for one in found]
    (tmp_path / arguments.NAME).write_text("\n\n".join(entries))
    assert not arguments.stale(arguments.load(tmp_path), found)


def test_a_solution_without_arguments(tmp_path: Path) -> None:
    assert arguments.load(tmp_path) == []


def test_the_page_names_survivors() -> None:
    text = page(ALL)
    assert "| 1 Square | 5 | 1 | 0 | 0 | 2 | 1 | 1 |" in text
    assert "- `grid`, square.cu:30: `< → <=` (d)" in text


@pytest.mark.skipif(not ROWS.exists(), reason="no survey was kept")
def test_the_page_is_made_from_the_rows() -> None:
    assert PAGE.read_text() == page(read_csv(ROWS), ROOT), "python -m mutate.page writes it anew"
