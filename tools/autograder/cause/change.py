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
    last: int  # line that may no longer run with it: of a condition, the last one of its if
    region: int = 0  # code that runs as written with changes if this one is tried; a negative one: several

    @property
    def all(self) -> tuple[Change, ...]:
        return (self,)


@dataclass(frozen=True)
class Changeable:
    """A file with all its changes."""

    text: bytes
    changes: tuple[Change, ...]


ORDERS = ("barrier", "barriers", "moved_barrier", "fence", "atomic")  # kinds of changes of what orders accesses
FAR_MORE = "more than"  # of an array that has any number of elements that may be asked for
SHAM = 1 << 30  # added to a number: the same code runs, and nothing is changed (what_if.h)
PAIR = 15  # bits of a number: a program that is called with two changes has them in one


@dataclass(frozen=True)
class Pair:
    """Two changes at once: the same mistake, made in two places."""

    first: Change
    second: Change

    @property
    def number(self) -> int:
        return self.first.number | self.second.number << PAIR

    @property
    def line(self) -> int:
        return self.first.line

    @property
    def all(self) -> tuple[Change, ...]:
        return self.first, self.second
