"""Figures in Markdown: `262,144<!--= grid(n=2**22).requests -->`. The comment behind a figure says how to get it.

A figure is a number, or text in `code` or **bold**. It is compared as it is written, with its number of decimals. Only
`elapsed`, which contains work of the host, may be off by a few percent.
`<!-- let g = grid(n=2**22) -->` gives a call a name, for the rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from answers.errors import FigureError
from answers.formula import Value, evaluate
from answers.runs import Lab, Measured

MARK = re.compile(
    r"<!-- let (?P<name>[a-z_0-9]+) = (?P<of>.*?)\s-->"
    r"|(?:(?P<quote>\*\*|`)(?P<text>[^*`]+)(?P=quote)|(?P<number>-?\d[\d,]*(?:\.\d+)?))<!--=\s(?P<formula>.*?)\s-->",
    re.DOTALL,
)
NEARLY = 0.04
TRIES = 12  # of a figure that is a time, and is not near at once
LOOSE = re.compile(r"<!--(?:=| *let\b)")  # a mark, or what was meant to be one


@dataclass(frozen=True)
class Figure:
    """A figure: what is written, and what is right."""

    line: int
    start: int
    end: int
    formula: str
    found: str
    expected: str
    error: str = ""
    is_nearly: bool = False  # close enough for what contains a time of the host

    @property
    def is_right(self) -> bool:
        return not self.error and (self.found == self.expected or self.is_nearly)


def figures(text: str, lab: Lab) -> Iterator[Figure]:
    """All figures of a sheet, in order."""
    names: dict[str, Value] = {}
    known: set[int] = set()
    for mark in MARK.finditer(text):
        known.update(range(mark.start(), mark.end()))
        line = text.count("\n", 0, mark.start()) + 1
        formula = mark["of"] or mark["formula"]
        found = " ".join((mark["text"] or mark["number"] or "").split())
        start, end = mark.span("text" if mark["text"] else "number")
        try:
            timings = lab.timings
            value = evaluate(formula, lab, names)
            if mark["name"]:
                names[mark["name"]] = value
                continue
            is_timed = lab.timings > timings
            near = is_timed and isinstance(value, float) and is_near(found, value)
            for _ in range(TRIES if is_timed and found else 0):  # what the host does disturbs some calls
                if near:
                    break
                value = evaluate(formula, lab, names)
                near = isinstance(value, float) and is_near(found, value)
            yield Figure(line, start, end, formula, found, shown(value, found), is_nearly=near)
        except FigureError as error:
            yield Figure(line, start, end, formula, found, "", str(error))
    for loose in LOOSE.finditer(text):
        if loose.start() not in known:
            line = text.count("\n", 0, loose.start()) + 1
            yield Figure(line, -1, -1, "", "", "", "no figure stands directly before this comment")


def shown(value: Value, like: str) -> str:
    """The value in the form of another figure: with as many decimals."""
    if isinstance(value, Measured):
        raise FigureError(f"{value.title} is a call: which of its counters?")
    if isinstance(value, str):
        return value
    decimals = len(like.partition(".")[2])
    return f"{value:,.{decimals}f}"


def is_near(found: str, value: float) -> bool:
    """Whether a figure as written is about the value, beyond what its decimals can say."""
    return abs(float(found.replace(",", "")) - value) <= NEARLY * abs(value) + 0.5 * 10.0 ** -len(
        found.partition(".")[2]
    )


def written(text: str, found: list[Figure]) -> str:
    """The sheet with all figures corrected; those with an error stay."""
    for one in sorted(found, key=lambda figure: figure.start, reverse=True):
        if one.start >= 0 and not one.error and not one.is_right:
            text = text[: one.start] + one.expected + text[one.end :]
    return text
