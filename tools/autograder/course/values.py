"""Values that a course file writes in words: moments, spans of time, sizes; and how exact numbers are shown.

Its types are plain classes: msgspec would read dataclasses itself, as tables.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_WORDS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), "s"),
    **dict.fromkeys(("m", "min", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "d"),
    **dict.fromkeys(("w", "week", "weeks"), "w"),
}
_SPAN = re.compile(r"(\d+(?:\.\d+)?) ?([a-z]+)")
_MOST_SPAN = 10 * 366 * 86400  # seconds; anything longer is a typing mistake


class Number(Fraction):
    """An exact number as it is written, within bounds."""

    low: Fraction = Fraction(0)
    high: Fraction | None = None
    without_low = False

    @classmethod
    def read(cls, value: Any) -> Number:
        top = "" if cls.high is None else f" and at most {cls.high}"
        allowed = f"a number {'greater than' if cls.without_low else 'of at least'} {cls.low}{top}"
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise ValueError(f"expected {allowed}, not {value!r}")
        number = cls(Fraction(value))
        if number < cls.low or (cls.without_low and number == cls.low) or (cls.high is not None and number > cls.high):
            raise ValueError(f"expected {allowed}, not {value}")
        return number


class Percent(Number):
    """From 0 to 100."""

    high = Fraction(100)


class Share(Percent):
    """A percentage above 0."""

    without_low = True


class Cap(Number):
    """All, or more."""

    low = Fraction(100)


class Weight(Number):
    """0: does not count."""


class Above(Number):
    """More than 0."""

    without_low = True


class Span:
    """A length of time, in seconds."""

    def __init__(self, seconds: Fraction) -> None:
        self.seconds = seconds

    @classmethod
    def read(cls, value: Any) -> Span:
        """ "15 min", "1 day 12 h"; a number without a unit could be anything."""
        allowed = 'a length of time as text: "15 min", "36 h", "2 days", "1 day 12 h"'
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"expected {allowed}")
        text = value.strip().casefold()
        parts = _SPAN.findall(text)
        if re.sub(r"[\s,]", "", _SPAN.sub("", text)) or any(unit not in _WORDS for _, unit in parts):
            raise ValueError(f"{value!r} is not {allowed}")
        seconds = sum((Fraction(number) * _UNITS[_WORDS[unit]] for number, unit in parts), Fraction(0))
        if seconds > _MOST_SPAN:
            raise ValueError(f"{value!r} is longer than ten years")
        return cls(seconds)

    def __str__(self) -> str:
        return long(self.seconds)


class Moment:
    """A point in time, or a local time in the course file's zone."""

    def __init__(self, time: datetime) -> None:
        self.time = time

    @classmethod
    def read(cls, value: Any) -> Moment:
        allowed = "a date with a time, such as 2026-10-09T23:59:00, or with an offset: 2026-10-09T23:59:00-07:00"
        if isinstance(value, datetime):
            return cls(value)
        if isinstance(value, date):
            raise ValueError(f"{value} has no time of day; write {value}T23:59:59")
        if isinstance(value, str):
            try:
                return cls(datetime.fromisoformat(value))
            except ValueError:
                pass
        raise ValueError(f"{value!r} is not {allowed}")


class Extension:
    """An extension: a new deadline, or a length of time."""

    def __init__(self, until: Moment | None = None, longer: Span | None = None) -> None:
        self.until = until
        self.longer = longer

    @classmethod
    def read(cls, value: Any) -> Extension:
        if isinstance(value, datetime | date):
            return cls(until=Moment.read(value))
        try:
            return cls(longer=Span.read(value))
        except ValueError:
            raise ValueError(
                f'{value!r} is neither a new deadline (2026-10-12T23:59:00) nor a length of time ("3 days")'
            ) from None


def size(value: Any) -> int:
    """A number of elements: 1000, "2^20 + 1", "1e6"."""
    if isinstance(value, int) and not isinstance(value, bool):
        found = value
    else:
        text = re.sub(r"[\s_,]", "", value) if isinstance(value, str) else ""
        match = re.fullmatch(r"(?:(\d{1,4})\^(\d{1,2})|(\d{1,4})[eE](\d{1,2})|(\d{1,15}))(?:([+-])(\d{1,12}))?", text)
        if not match:
            raise ValueError(f'{value!r} is not a size; write 1000003, "2^20 + 1" or "1e6 - 1"')
        base = int(match[1]) ** int(match[2]) if match[1] else int(match[3]) * 10 ** int(match[4]) if match[3] else 0
        found = (base or int(match[5] or 0)) + int(f"{match[6]}{match[7]}" if match[6] else 0)
    if found < 0:
        raise ValueError(f"{value!r} is less than 0")
    return found


def exact(value: float | Decimal | int) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return Fraction(Decimal(str(value)))


def plain(value: Fraction, digits: int = 4) -> str:
    """The number for people: exact if it is short, otherwise cut, with `…`."""
    cut = Fraction(math.floor(abs(value) * 10**digits), 10**digits)
    text = f"{Decimal(cut.numerator) / Decimal(cut.denominator):.{digits}f}".rstrip("0").rstrip(".")
    return ("-" if value < 0 else "") + text + ("" if cut == abs(value) else "…")


def long(seconds: Fraction) -> str:
    """A length of time in its two largest units, cut to whole minutes above one."""
    left = math.floor(seconds)
    found = []
    for unit, word in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        number, left = divmod(left, unit)
        if number:
            found.append(f"{number} {word}")
    return " ".join(found[:2]) or "0 s"


def handed_in(text: str) -> datetime | None:
    """A platform's timestamp; without an offset, it is UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def between(start: datetime, end: datetime) -> Fraction:
    """Seconds, exactly. Computed in UTC, because Python subtracts two times of one zone as local times."""
    passed: timedelta = end.astimezone(UTC) - start.astimezone(UTC)
    return Fraction(passed // timedelta(microseconds=1), 1_000_000)
