"""Reads a compiler's text: errors and warnings, each with its place, its source line and where it was instantiated.

Standard library only, as compiler.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

# scan.cu(12): error: … of nvcc, scan.cu:12:5: error: … of the host compiler
PLACE = re.compile(
    r"^(?P<file>\S[^:]*?)(?:\((?P<a>\d+)\)|:(?P<b>\d+)(?::(?P<column>\d+))?): "
    r"(?P<kind>(?:fatal |catastrophic )?error|warning)\b[^:]*: ?(?P<text>.*)"
)
CONTEXT = re.compile(r"^\S+: (In |At )|^\S+:\s+(required|recursively required|note:)|^Remark: |^In file included from")
_AT_END = re.compile(r"^(?P<file>)(?P<a>)(?P<b>)At end of source: (?P<kind>error): (?P<text>.*)")
_OPENED = re.compile(r"^(\S[^:]*?)\((\d+)\): note #\S+: to match this")
_DURING = re.compile(r"^\s+detected during|^\s+instantiation of |^\s+\[ \d+ instantiation contexts not shown \]")
_AT_LINE = re.compile(r"at line (\d+)(?: of (\S+))?$")
_REQUIRED = re.compile(r"^(\S+?):(\d+):(?:\d+:)?\s+(?:required|recursively required)")
_CARET = re.compile(r"^(\s*(?:\|\s*)?)[~^]*\^[~^]*\s*$")
_NUMBERED = re.compile(r"^\s*\d+ \| ?")


@dataclass(frozen=True)
class Message:
    """One error or warning with the lines below it."""

    file: str
    line: int
    kind: str
    text: str
    lines: Sequence[str]
    code: str = ""  # of a warning: 177-D, or -Wunused-variable
    used: Sequence[tuple[str, int]] = field(default=())  # where its template was instantiated, the innermost first

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.file else ""

    def in_file(self, name: str) -> str:
        """The place in that file: of the message, or of what leads there; "" if there is none."""
        places = [(self.file, self.line), *self.used]
        return next((f"{file}:{line}" for file, line in places if file == name), "")

    def caret(self, written: str) -> int:
        """The column, from 0, that is meant in the line as it was written; -1 if it cannot be told.

        The compiler shows the line with its macros expanded.
        """
        for shown, below in zip(self.lines[1:], self.lines[2:], strict=False):
            if not _CARET.match(below):
                continue
            start = _NUMBERED.match(shown)
            text = shown[start.end() :] if start else shown
            at = below.index("^") - (len(shown) - len(text))
            if at < 0 or at > len(text):
                return -1
            before, behind = as_written(text[:at]).lstrip(), as_written(text[at:])
            if (before + behind).strip() == written.strip():
                return len(written) - len(written.lstrip()) + len(before)
            word = re.match(r"\w+\(?|\S", behind)  # a macro's argument: its first word, if that is there once
            return written.index(word[0]) if word and written.count(word[0]) == 1 else -1
        return -1


def as_written(line: str) -> str:
    return re.sub(r"__attribute__\(\((global|device|host|shared|constant)\)\)", r"__\1__", line)


def messages(text: str) -> list[Message]:
    """Errors and warnings in their order, without the notes about includes and instantiations."""
    found: list[tuple[re.Match[str], list[str], list[tuple[str, int]]]] = []  # each with its lines and its uses
    inside = False
    required: list[tuple[str, int]] = []  # the host compiler says first where a template was instantiated
    for line in text.splitlines():
        place = PLACE.match(line) or _AT_END.match(line)
        if place:
            found.append((place, [_shortened(line, place["file"])], required))
            required, inside = [], True
        elif (told := _REQUIRED.match(line)) is not None:
            required.append((Path(told[1]).name, int(told[2])))
            inside = False
        elif (opened := _OPENED.match(line)) is not None:
            if found and not found[-1][0]["file"]:  # the end of the file says nothing of where a { was left open
                found[-1][2].append((Path(opened[1]).name, int(opened[2])))
            inside = False
        elif _DURING.match(line):
            if found and (at := _AT_LINE.search(line)):
                file = Path(at[2]).name if at[2] else (found[-1][2][-1][0] if found[-1][2] else "")
                found[-1][2].append((file or Path(found[-1][0]["file"]).name, int(at[1])))
        elif CONTEXT.match(line) or not line.strip():
            inside = inside and not CONTEXT.match(line)
        elif inside and line.startswith(" "):
            found[-1][1].append(line)
        else:
            inside = False
    return [_message(*one) for one in found]


def _message(at: re.Match[str], lines: list[str], used: list[tuple[str, int]]) -> Message:
    text = at["text"].strip()
    code = re.search(r"(?:warning|error) #(\d+(?:-D)?)", at[0]) or re.search(r"\[(-W[\w+=-]+)\]$", text)
    return Message(
        Path(at["file"]).name,
        int(at["a"] or at["b"] or 0),
        at["kind"],
        text,
        lines,
        code[1] if code else "",
        tuple(used),
    )


def _shortened(line: str, file: str) -> str:
    return line.replace(file, Path(file).name, 1) if file else line
