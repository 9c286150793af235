"""Where something is: a source line, and the launch of a finding; basic types. Names as in virtual_gpu/report.h."""

from __future__ import annotations

from typing import Annotated

import msgspec

Word = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9_ ]{0,20}$")]  # what the virtual GPU calls something
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Offset = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Line = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]  # everything that #line can say
Index = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Index3 = tuple[Index, Index, Index]

ZERO3: Index3 = (0, 0, 0)


class Place(msgspec.Struct, frozen=True):
    """A source line."""

    file: str = ""
    line: Line = 0
    text: str = ""


class LaunchSite(msgspec.Struct, frozen=True):
    """The launch that a finding belongs to; `grid` is (0, 0, 0) if it belongs to none."""

    place: Place = msgspec.field(default_factory=Place)  # where the program asks for it; line 0: not known
    grid: tuple[Count, Count, Count] = ZERO3  # of a refused launch: whatever was asked for
    block: tuple[Count, Count, Count] = ZERO3
    shared_bytes: Count = 0  # dynamic
    by_kernel: bool = False
    what: str = ""  # "launched at reduce.cu:56: 256 blocks of 1 thread"
