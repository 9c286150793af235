"""What a change is, as data: no parser is needed to read about one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """One small change: with it, `now` stands where the file has `was`."""

    number: int
    kind: str
    line: int
    was: str
    now: str
    last: int  # of the lines that it is about: those of an if, where the condition is another


@dataclass(frozen=True)
class Changeable:
    """A file with all its changes."""

    text: bytes
    changes: tuple[Change, ...]
