"""A wrong output as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.explain.evidence import errors_of, examples
from autograder.explain.explanation import Picture
from autograder.explain.picture import EDGE, picture_of
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Outcome, Wrong
from autograder.plan.cases import Case
from autograder.plan.tables import ArraySpec, Shape

POISON = 0xA5


def wrong_output(n: int, wrong: Any, *, unwritten: Any = (), width: int = 0, variant: str = "") -> Outcome:
    """A call whose output is wrong at these places."""
    mask = np.zeros(n, np.bool_)
    mask[wrong] = True
    got = np.zeros(n, np.int32)
    got[mask] = 7
    got[list(unwritten)] = np.frombuffer(bytes([POISON] * 4), np.int32)[0]
    shape = Shape([ArraySpec("d_in", "int32", n)], [ArraySpec("d_out", "int32", n, columns=width)], 8.0 * n)
    checked = Checked(False, [np.zeros(n, np.int32)], [mask], [n])
    seen = Wrong(shape, [np.arange(n, dtype=np.int32)], [got], checked, POISON)
    return Outcome(Case("task", variant, n, 1, 0), wrong=seen)


def drawn(outcome: Outcome, *others: Outcome) -> Picture:
    picture = picture_of(outcome, others)
    assert picture
    return picture


def test_a_wrong_pixel_is_in_a_row_and_a_column() -> None:
    outcome = wrong_output(800, [85], width=40)
    assert outcome.wrong and [one.place for one in examples(errors_of(outcome, outcome.wrong))] == ["row 2, column 5"]


def test_one_wrong_element_of_many_is_seen() -> None:
    assert drawn(wrong_output(1_000_000, [777_777])).cells.count("-") == 1


def test_an_image() -> None:
    picture = drawn(wrong_output(40 * 20, np.arange(40), width=40))
    assert picture.width == 40 and picture.cells == "x" * 40 + "." * 760
    large = drawn(wrong_output(1000 * 500, np.arange(250_000), width=1000))
    rows = len(large.cells) // large.width
    assert large.width <= EDGE and rows <= EDGE and large.cells.startswith("x" * large.width)
    assert large.cells.endswith("." * large.width)


def test_a_larger_call_is_drawn_where_the_smallest_shows_nothing() -> None:
    smallest, all_wrong = wrong_output(1, [0]), wrong_output(64, slice(None))
    thin, telling = (
        wrong_output(64, [0], width=2, variant="thin"),
        wrong_output(400, [0, 19], width=20, variant="clamp"),
    )
    picture = drawn(smallest, smallest, all_wrong, thin, telling, wrong_output(900, [3]))
    assert (picture.n, picture.variant, picture.width) == (400, "clamp", 20)
    assert drawn(wrong_output(33, [32]), telling).n == 33  # the failure itself, if it shows something
    assert drawn(wrong_output(2, [0, 1]), all_wrong).n == 2  # nothing is better than the failure
    assert picture_of(smallest, []) is None
    assert picture_of(Outcome(Case("task", "", 9, 1, 0)), []) is None
