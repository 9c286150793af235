"""A source file as numbered lines. Standard library only.

Numbers come from compilers and from `#line`, and the file may have changed since: any number may be asked for.
"""

from __future__ import annotations

import re
from pathlib import Path

from autograder.errors import UsageError
from autograder.sanitize import clean

MOST = 1 << 22  # bytes of a file
_OF_SHELLS = re.compile(r"[\x00-\x1f\x7f\"$`,\\\ud800-\udfff]")  # nvcc passes names to a shell, in quotation marks


def text_of(path: Path | None) -> str:
    """The file as text; "" if there is none to read."""
    try:
        if path is None or not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(MOST).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return ""


def bytes_of(path: Path) -> bytes:
    """All of a file to compile. Raises OSError; UsageError if it is too large or not a file: a pipe never ends."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: not a file")
    if _OF_SHELLS.search(path.name):
        shown = clean(path.name.encode("utf-8", "replace").decode("utf-8"), 100)
        raise UsageError(
            f'{shown}: compilers cannot read a file whose name has a ", $, `, \\, comma or the like: rename it'
        )
    with path.open("rb") as file:
        data = file.read(MOST + 1)
    if len(data) > MOST:
        raise UsageError(f"{path}: more than {MOST >> 20} MB; a submission is one source file")
    return data


def lines_of(text: str) -> list[str]:
    """Lines as compilers count them; `splitlines` would also end one at a form feed."""
    return re.split(r"\r?\n", text)


def line_of(lines: list[str], number: int, limit: int = 160) -> str:
    """Line `number`, counted from 1, as it may be printed; "" if there is none."""
    return clean(lines[number - 1], limit) if 1 <= number <= len(lines) else ""


def same(lines: list[str], number: int, text: str) -> bool:
    """A line as the device process read it, shortened and made safe to show."""
    return line_of(lines, number, 100).strip() == clean(text, 100).strip()
