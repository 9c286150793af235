"""Lines for people, folded at spaces: nothing is cut at the edge of a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

INDENT = "  "
PIPED = 160  # characters in a line if there is no terminal
NARROWEST = 12  # characters of a row, if its indentation leaves fewer


def console(stderr: bool = False) -> Console:
    """The console for people: in colour only on a terminal, never narrower than the table."""
    made = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not made.is_terminal:
        made = Console(stderr=stderr, highlight=False, width=PIPED, color_system=None, force_terminal=False)
    return made


@dataclass(frozen=True)
class Line:
    """A line that may take several rows."""

    text: str | Text
    lead: str = INDENT  # stands before the first row
    hang: int = -1  # the indentation of the other rows; -1: as wide as `lead`
    style: str = ""

    def rows(self, width: int) -> list[Text]:
        """The rows, each at most so wide, unless one word alone is wider."""
        words = self.text.copy() if isinstance(self.text, Text) else Text(self.text)
        hang = cell_len(self.lead) if self.hang < 0 else self.hang
        first, others = (max(NARROWEST, width - taken) for taken in (cell_len(self.lead), hang))
        parts = words.divide(breaks(words.plain, first, others))
        rows = []
        for at, part in enumerate(parts):
            part.rstrip()
            rows.append(Text(self.lead if at == 0 else " " * hang).append_text(part))
        for row in rows:
            row.rstrip()
            row.no_wrap, row.overflow = True, "ignore"
            if self.style:
                row.stylize_before(self.style)
        return rows


def breaks(text: str, room: int, others: int) -> list[int]:
    """Where a new row begins, behind spaces and line ends only. `room`: of the first row; `others`: of all others."""
    found: list[int] = []
    used, ended = cell_len(text) - cell_len(text.lstrip()), False
    for at, word in enumerate(re.finditer(r"\S+\s*", text)):
        if at and (ended or used + cell_len(word[0].rstrip()) > room):
            found.append(word.start())
            used, room = 0, others
        used += cell_len(word[0])
        ended = "\n" in word[0]
    return found


def fold(out: Console, *lines: Line | str) -> None:
    """Prints the lines. A text is indented by two."""
    for line in lines:
        for row in (line if isinstance(line, Line) else Line(line)).rows(out.width):
            out.print(row, soft_wrap=True)


def tell(text: str) -> None:
    """A line on standard error; folded on a terminal."""
    if sys.stderr.isatty():
        fold(console(stderr=True), Line(text, "", 2))
    else:
        print(text, file=sys.stderr)


def columns(rows: Sequence[tuple[str, str]], lead: str = INDENT) -> list[Line]:
    """Two columns, such as commands and what they do; a row of the second goes on below itself."""
    width = max((cell_len(left) for left, _ in rows), default=0)
    return [Line(right, f"{lead}{left:<{width}}  ") for left, right in rows]


def source_line(line: str) -> Line:
    """A numbered source line; what does not fit goes on below its text."""
    gutter = re.match(r"([> ]) *(\d+)  ", line)
    lead = f"{gutter[1]} {gutter[2]:>3}  " if gutter else ""
    text = line[len(gutter[0]) if gutter else 0 :]
    inner = len(text) - len(text.lstrip())
    return Line(text.strip(), f"  {lead}{' ' * inner}", len(lead) + inner + 4, "dim")


def number_of_rows(lines: Sequence[Line], width: int) -> int:
    return sum(len(line.rows(width)) for line in lines)
