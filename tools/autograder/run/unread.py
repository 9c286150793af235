"""What the device process says of what a call never reads; field names as in virtual_gpu/report.h."""

from __future__ import annotations

from typing import Annotated

import msgspec

from autograder.run.site import Count, Place
from autograder.run.watched import Bits


class Range(msgspec.Struct, frozen=True):
    """Neighbouring bytes of an array; of what is stored, its first and its last element, too."""

    begin: Count = msgspec.field(default=0, name="from")
    bytes: Count = 0
    first: str = ""
    last: str = ""


class Unread(msgspec.Struct, frozen=True):
    """An array that the harness gives, or what a line stores where only kernels read."""

    array: str = ""
    is_stored: bool = False
    place: Place = msgspec.field(default_factory=Place)  # that stores it; of a given array, the first that reads it
    bytes: Count = 0
    unread: Count = 0
    lost: Count = 0  # of the unread ones, those that are stored and are not 0
    digest: Bits = "0"  # of these
    ranges: Annotated[list[Range], msgspec.Meta(max_length=4)] = []
