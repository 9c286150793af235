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


@dataclass(frozen=True)
class Changeable:
    """A file with all its changes."""

    text: bytes
    changes: tuple[Change, ...]
