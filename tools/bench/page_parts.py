"""Parts of pages that commands write, between `<!-- NAME -->` and `<!-- until here -->`; people write the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

END = "<!-- until here -->"


def with_part(text: str, name: str, part: str) -> str:
    """The page's text with another part. ValueError: the page has no such part, or two."""
    begin = f"<!-- {name} -->"
    marks = re.compile(f"{re.escape(begin)}.*?{re.escape(END)}", re.DOTALL)
    text, count = marks.subn(lambda _: f"{begin}\n\n{part.strip()}\n\n{END}", text)
    if count != 1:
        raise ValueError(f"{count} parts of the page begin with {begin}, not one")
    return text


def write_part(page: Path, name: str, part: str) -> None:
    page.write_text(with_part(page.read_text(), name, part))


def table(head: str, rows: Iterable[Sequence[object]]) -> str:
    """`head`: the names of the columns, with | between them; those with a + before them hold numbers."""
    names = [name.strip() for name in head.split("|")]
    first = "|" + "".join(f" {name.removeprefix('+')} |" if name else " |" for name in names)
    rule = "|" + "|".join("--:" if name.startswith("+") else "---" for name in names) + "|"
    return "\n".join([first, rule, *(f"| {' | '.join(map(str, row))} |" for row in rows)]) + "\n"
