"""Text of a student's program or compiler, made safe to print. Standard library only."""

from __future__ import annotations

import re

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def clean(text: str, limit: int = 2000) -> str:
    """Text from a student, made safe for a terminal: no control characters, not too long."""
    text = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\t", "    "))
    return text if len(text) <= limit else text[: limit - 2] + " …"
