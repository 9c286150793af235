"""Text of a student's program or compiler, made safe to print and not too long. Standard library only."""

from __future__ import annotations

import re

# Control characters, what turns the direction of writing or ends lines, and halves of a pair, which cannot be printed.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


LINE = 1000  # characters of a sentence, a name or a source line in a result
LINES = 100  # of details
_SHORT_SIGN = " …"


def clean(text: str, limit: int = 2000) -> str:
    """Text from a student, made safe for a terminal: no control characters, not too long."""
    return cut(_CONTROLS.sub("", text.replace("\r\n", "\n").replace("\t", "    ")), limit)


def cut(text: str, limit: int) -> str:
    """At most `limit` characters. The end says that something was left out, and, where there is room, how much."""
    if len(text) <= limit:
        return text
    sign = f" … (cut: {len(text):,} characters)"
    if len(sign) > limit // 4:
        sign = _SHORT_SIGN
    return text[: limit - len(sign)] + sign
