"""Text of a student's program or compiler, made safe to print. Standard library only."""

from __future__ import annotations

import re

# Control characters, what turns the direction of writing or ends lines, and halves of a pair, which cannot be printed.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def clean(text: str, limit: int = 2000) -> str:
    """Text from a student, made safe for a terminal: no control characters, not too long."""
    text = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\t", "    "))
    return text if len(text) <= limit else text[: limit - 2] + " …"
