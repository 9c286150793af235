"""The alternatives of an operator have one order in what_if.h, which computes them, and in Python, which names them."""

from __future__ import annotations

import re
from pathlib import Path

from autograder.cause.expressions import ARITHMETIC, COMPARISONS

HEADER = Path(__file__).parents[1] / "what_if.h"


def written(family: str) -> dict[str, tuple[str, list[str]]]:
    """By operator: the name of its function, and its alternatives."""
    rows = re.findall(rf"^WHAT_IF_{family}\((\w+), ([^,]+), (.*)\)$", HEADER.read_text("utf-8"), re.MULTILINE)
    return {sign: (name, [one.replace(" ", "") for one in others.split(", ")]) for name, sign, others in rows}


def test_comparisons() -> None:
    assert written("COMPARISON") == {sign: (name, list(others)) for sign, (name, others) in COMPARISONS.items()}


def test_arithmetic() -> None:
    here = {
        sign: (name, [one.format(a="a", b="b").replace(" ", "") for one in others])
        for sign, (name, others) in ARITHMETIC.items()
    }
    there = written("ARITHMETIC") | written("INTEGER")
    # A division by 0 has no alternative that could run: what would be one is 0.
    unsafe = {"/": "(b==0?R{}:static_cast<R>((a+b-1)/b))", "%": "(b==0?R{}:static_cast<R>(a/b))"}
    for sign, first in unsafe.items():
        name, others = there[sign]
        assert others[0] == first
        there[sign] = (name, [here[sign][1][0], *others[1:]])
    assert there == here
