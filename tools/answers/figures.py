"""Figures in Markdown: `262,144<!--= grid(n=2**22).requests -->`. The comment behind a figure is Python that gives it.

naive(n=4096).launches                    a call of a task: options as those of build/labN, and a counter (calls.py)
naive()                                   as it is timed: n and variant of the lab's table
blelloch().lines("up(").sectors           of the lines with this text
block_sums().kernel("scan_tiles").blocks  of one kernel
edited("one_buffer", n=4096).sectors      of the task with a mistake: compiled, so it takes seconds
changed("grid_stride", "kGrid = 1024", "kGrid = 32").sectors     of the task with one text instead of another
verdict("one_buffer")                     what the grader must say of a mistake, as its TOML file says
ceil_div(1000, 256) * 8                   arithmetic; also log2, sqrt, floor, abs, round, min, max

A figure is a number, or text in `code` or **bold**. It is compared as it is written, with its number of decimals.
`<!-- let g = grid(n=2**22) -->` gives a call a name, for the rest of the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from answers.calls import FigureError, Lab, Measured
from autograder.errors import CompileError, GraderError, UsageError
from autograder.plan.labs import suggest
from mistakes.catalog import find_mistake

MARK = re.compile(
    r"<!-- let (?P<name>[a-z_0-9]+) = (?P<of>.*?)\s-->"
    r"|(?:(?P<quote>\*\*|`)(?P<text>[^*`]+)(?P=quote)|(?P<number>-?\d[\d,]*(?:\.\d+)?))<!--=\s(?P<formula>.*?)\s-->",
    re.DOTALL,
)
LOOSE = re.compile(r"<!--(?:=| *let\b)")  # a mark, or what was meant to be one
MATHS = {"log2": math.log2, "sqrt": math.sqrt, "floor": math.floor, "abs": abs, "round": round, "min": min, "max": max}


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

    @property
    def is_right(self) -> bool:
        return not self.error and self.found == self.expected


def evaluate(text: str, lab: Lab, names: Mapping[str, Any]) -> Any:
    """The value of a formula, a line of Python. FigureError: what is wrong with it."""
    known = {
        **{task: partial(lab.call, task) for task in lab.tasks},
        **MATHS,
        "ceil_div": lambda a, b: -(-a // b),
        "edited": lab.edited,
        "changed": lab.changed,
        "verdict": lambda name: " or ".join(find_mistake(lab.folder, name).verdicts),
        **names,
    }
    try:
        return eval(" ".join(text.split("\n")).strip(), {"__builtins__": {}}, known)
    except NameError as error:
        hint = suggest(str(error.name), [*known])
        raise FigureError(f"lab {lab.number} has no task or function {error.name!r}{hint}") from None
    except (UsageError, CompileError, GraderError, SyntaxError, ArithmeticError, TypeError, ValueError) as error:
        raise FigureError(f"{text!r}: {error}") from None


def figures(text: str, lab: Lab) -> Iterator[Figure]:
    """All figures of a sheet, in order."""
    names: dict[str, Any] = {}
    known: set[int] = set()
    for mark in MARK.finditer(text):
        known.update(range(mark.start(), mark.end()))
        line = text.count("\n", 0, mark.start()) + 1
        formula = mark["of"] or mark["formula"]
        found = " ".join((mark["text"] or mark["number"] or "").split())
        start, end = mark.span("text" if mark["text"] else "number")
        try:
            value = evaluate(formula, lab, names)
            if mark["name"]:
                names[mark["name"]] = value
            else:
                yield Figure(line, start, end, formula, found, shown(value, found))
        except FigureError as error:
            yield Figure(line, start, end, formula, found, "", str(error))
    for loose in LOOSE.finditer(text):
        if loose.start() not in known:
            line = text.count("\n", 0, loose.start()) + 1
            yield Figure(line, -1, -1, "", "", "", "no figure stands directly before this comment")


def shown(value: Any, like: str) -> str:
    """The value in the form of another figure: with as many decimals."""
    if isinstance(value, Measured):
        raise FigureError(f"{value.title} is a call: which of its counters?")
    if isinstance(value, str):
        return value
    if not isinstance(value, int | float):
        raise FigureError(f"{value!r} is no figure")
    return f"{value:,.{len(like.partition('.')[2])}f}"


def written(text: str, found: list[Figure]) -> str:
    """The sheet with all figures corrected; those with an error stay."""
    for one in sorted(found, key=lambda figure: figure.start, reverse=True):
        if one.start >= 0 and not one.error and not one.is_right:
            text = text[: one.start] + one.expected + text[one.end :]
    return text
