"""`cudaMemcpy(d, h, sizeof(h), …)` where h is a pointer: 8 bytes. No compiler warns of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CALL = re.compile(r"\bcuda(?P<what>Malloc|Mem(?:cpy|set))\w*\s*\((?P<arguments>[^;{}]{0,400});")
_SIZEOF = re.compile(r"\bsizeof\s*(?:\(\s*(\w+)\s*\)|(\w+)\b)(?!\s*[\[.(]|->)")
_POINTER = re.compile(r"[\w>,*]\s*\*\s*(?:(?:const|volatile|__restrict__)\s+)*(\w+)\s*[=;,)]")
_ARRAY = re.compile(r"(?<!\breturn)(?<!\belse)[\w>,]\s+(\w+)\s*\[")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


def pointer_sizes(text: str) -> Iterator[tuple[int, str]]:
    """The lines that give a call the size of a pointer that is its argument, and what to write."""
    text = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    if not _CALL.search(text):
        return
    declared = sorted(
        (found.start(), found[1], kind is _POINTER) for kind in (_POINTER, _ARRAY) for found in kind.finditer(text)
    )
    is_pointer: dict[str, bool] = {}
    line, counted, at = 1, 0, 0
    for call in _CALL.finditer(text):
        while at < len(declared) and declared[at][0] < call.start():
            is_pointer[declared[at][1]] = declared[at][2]  # the one declared last counts
            at += 1
        line += text.count("\n", counted, call.start())
        counted = call.start()
        for size in _SIZEOF.finditer(call["arguments"]):
            name = size[1] or size[2]
            passed = r"[(&)\s]" if call["what"] == "Malloc" else r"(?:^|[,)])\s*"
            if is_pointer.get(name) and re.search(rf"{passed}{name}\s*,", call["arguments"]):
                yield (
                    line,
                    f"sizeof({name}) is the size of the pointer, 8 bytes, and not of its array: "
                    f"write the number of elements * sizeof(*{name})",
                )
