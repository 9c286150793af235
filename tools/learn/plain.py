"""Rows of styled text on a terminal, without rich: its import takes longer than all else that a short command does."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence

Piece = tuple[str, str]  # a text, and its style
Row = Sequence[Piece]
PIPED = 160  # characters in a line if there is no terminal
CODES = {
    "bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "magenta": "35", "bold red": "1;31",
}  # fmt: skip


def width() -> int:
    """Characters of the terminal."""
    return shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else PIPED


def folded(text: str, style: str, wide: int) -> list[Row]:
    """A text, indented by two and folded at spaces."""
    lines = textwrap.wrap(text, max(20, wide), initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False,
                          break_long_words=False)  # fmt: skip
    return [[(line, style)] for line in lines or [""]]


def show(rows: Sequence[Row]) -> None:
    """Prints the rows, in colour on a terminal only."""
    coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "") not in ("", "dumb")
    for row in rows:
        text = "".join(f"\x1b[{CODES[style]}m{part}\x1b[0m" if coloured and style and part else part
                       for part, style in row)  # fmt: skip
        print(text.rstrip() if not coloured else text)
