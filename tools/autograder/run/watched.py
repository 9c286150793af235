"""What the device process says of elements that are watched: who wrote them, from which values."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from autograder.run.site import Count, Offset, Place, Word

Bits = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{1,16}$")]  # of a value, as a number in base 16


class Writer(msgspec.Struct, frozen=True):
    """Who wrote something last in a call; field names as in virtual_gpu/report.h."""

    by: Literal["", "thread", "host", "device", "unknown"] = ""  # "": nobody
    access: Word = ""
    name: str = ""
    launch: Count = 0
    who: str = ""
    place: Place = msgspec.field(default_factory=Place)


class Source(msgspec.Struct, frozen=True):
    """A value that a thread read."""

    space: Word = ""
    access: Word = ""
    array: str = ""
    element: str = ""  # "d_points[2].x"
    index: Offset = 0
    bytes: Annotated[int, msgspec.Meta(ge=1, le=8)] = 4
    value: Bits = "0"
    place: Place = msgspec.field(default_factory=Place)
    writer: Writer = msgspec.field(default_factory=Writer)


class ValueRead(Source, frozen=True):
    """A value that a thread read, with what its writer had read before."""

    read_count: Count = 0
    reads: Annotated[list[Source], msgspec.Meta(max_length=4)] = []  # the last of them


class Write(msgspec.Struct, frozen=True):
    """A write to an element that is watched, and the element's bits after it."""

    writer: Writer = msgspec.field(default_factory=Writer)
    value: Bits = "0"


class Watched(msgspec.Struct, frozen=True):
    """An element whose writes were asked for."""

    array: str = ""
    at: Count = 0
    bytes: Annotated[int, msgspec.Meta(ge=1, le=16)] = 4
    count: Count = 0  # writes in this call
    writes: Annotated[list[Write], msgspec.Meta(max_length=16)] = []  # the first and the last of them
    read_count: Count = 0
    reads: Annotated[list[ValueRead], msgspec.Meta(max_length=8)] = []  # of the last write, the first and the last
