"""The table of errors that beginners make, errors.toml: what a compiler's message looks like, and what to write.

Standard library only, as compiler.py.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("errors.toml")


@dataclass(frozen=True)
class Row:
    """One mistake. `line`: a pattern for the student's source line; only where it matches is the row meant."""

    name: str
    text: re.Pattern[str]
    line: re.Pattern[str] | None
    says: str
    code: str = ""  # of a warning
    same: bool = False  # the first group of both patterns has to be the same name
    at: str = ""  # "start": the error has to be in the line's first word, "inside": behind it

    def said(self, text: str, line: str, at: str = "") -> str:
        """The sentence for this message; "" if the row is not meant. {1}: the message's first group, {a} the line's."""
        found = self.text.search(text)
        if not found or self.at not in ("", at):
            return ""
        names = {str(number): group or "" for number, group in enumerate(found.groups(), 1)}
        if self.line is not None:
            there = self.line.search(line)
            if not there:
                return ""
            if self.same and there[1] != found[1]:
                return ""
            names |= {chr(ord("a") + number): group or "" for number, group in enumerate(there.groups())}
        return re.sub(r"\{(\w)\}", lambda name: names.get(name[1], name[0]), self.says)


@lru_cache(maxsize=1)
def _table() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(TABLE.read_text("utf-8"))


def _rows(kind: str) -> tuple[Row, ...]:
    return tuple(
        Row(
            entry["name"],
            re.compile(entry.get("text", "")),
            re.compile(entry["line"]) if "line" in entry else None,
            entry["says"],
            entry.get("code", ""),
            bool(entry.get("same", False)),
            entry.get("at", ""),
        )
        for entry in _table()[kind]
    )


@lru_cache(maxsize=1)
def error_rows() -> tuple[Row, ...]:
    return _rows("error")


@lru_cache(maxsize=1)
def warning_rows() -> tuple[Row, ...]:
    return _rows("warning")


def advice(text: str, line: str, at: str = "") -> tuple[str, str]:
    """Name and sentence of the first row that is meant; two empty texts if none is.

    `line`: the student's; `at`: "start" if the error is in its first word, "inside" if behind it, else not known.
    """
    for row in error_rows():
        said = row.said(text, line, at)
        if said:
            return row.name, said
    return "", ""
