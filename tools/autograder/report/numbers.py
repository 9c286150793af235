"""Arrays as rows of numbers that fit the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.plan.tables import Array
from autograder.words import number

GAP = 1


@dataclass(frozen=True)
class Column:
    """One array beside others of its length; those of its values that are marked."""

    name: str
    values: Sequence[str]
    marked: Sequence[bool] = ()


def numbers(array: Array, pairs: bool = False, exact: bool = False) -> list[str]:
    """Each value as people read it, floats with six digits unless `exact`; `pairs`: two numbers are one element."""
    is_short = array.dtype.kind == "f" and not exact
    texts = [f"{float(value):.6g}" if is_short else number(value) for value in array]
    return [f"({a}, {b})" for a, b in zip(texts[::2], texts[1::2], strict=False)] if pairs else texts


def table(columns: Sequence[Column], begin: int, end: int, width: int) -> list[str]:
    """The elements from `begin` to `end`, one below the other with their indices, in rows that are not wider."""
    labels = ["index", *(column.name for column in columns)]
    head = max(map(len, labels)) + 2
    rows: list[str] = []
    at = begin
    while at < end:
        texts: list[list[str]] = [[] for _ in labels]
        marks: list[str] = []
        room = width - head
        while at < end:
            cells = [str(at), *(column.values[at] if at < len(column.values) else "" for column in columns)]
            wide = max(map(len, cells)) + GAP
            if wide > room and marks:
                break
            room -= wide
            is_marked = any(at < len(column.marked) and column.marked[at] for column in columns)
            for text, cell in zip(texts, cells, strict=True):
                text.append(cell.rjust(wide))
            marks.append(("^" if is_marked else "").rjust(wide))
            at += 1
        rows += [f"{label:<{head}}{''.join(text)}".rstrip() for label, text in zip(labels, texts, strict=True)]
        if any("^" in mark for mark in marks):
            rows.append(" " * head + "".join(marks).rstrip())
        if at < end:
            rows.append("")
    return rows
