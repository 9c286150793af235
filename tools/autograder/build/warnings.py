"""The compiler's warnings about a submission's own file that are likely to be mistakes, in words.

They are read from the file that common/cmake/compile_cuda.sh leaves beside the object, so they are shown again when
nothing had to be compiled. They change no grade.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.build.advice import warning_rows
from autograder.build.builder import Builder
from autograder.build.cleanup import own_object
from autograder.build.messages import Message, messages
from autograder.build.pointer_sizes import pointer_sizes
from autograder.plan.labs import file_of
from autograder.sanitize import clean
from autograder.source import line_of, lines_of, text_of

BESIDE = ".messages"  # after the object's name
MADE = "made" + BESIDE  # beside the runner of somebody's file
MOST = 6  # that a result holds
LINE = 200  # characters
_MOST_BYTES = 1 << 20


class CompilerWarning(msgspec.Struct, frozen=True):
    """One warning."""

    where: str  # file:line
    says: str
    text: str = ""  # the source line
    compiler: str = ""  # what the compiler calls it


def warnings_in(text: str, source: Path) -> tuple[CompilerWarning, ...]:
    """Those of the file itself, in the order of its lines, each once for all passes and instantiations."""
    written_text = text_of(source)
    lines = lines_of(written_text)
    found: dict[tuple[int, str], CompilerWarning] = {}
    for line, says in pointer_sizes(written_text):
        one = CompilerWarning(f"{source.name}:{line}", clean(says, LINE), line_of(lines, line, LINE))
        found[(line, "sizeof_pointer")] = one
    for message in messages(text):
        if message.kind != "warning" or message.file != source.name:
            continue
        written = line_of(lines, message.line, LINE) if 0 < message.line <= len(lines) else ""
        name, says = _meaning(message, written)
        if says:
            said = clean(f"{message.text} [{message.code}]" if "[-W" not in message.text else message.text, LINE)
            one = CompilerWarning(message.where, clean(says, LINE), clean(written, LINE), said)
            found.setdefault((message.line, name), one)
    return tuple(found[key] for key in sorted(found))


def _meaning(message: Message, written: str) -> tuple[str, str]:
    for row in warning_rows():
        if re.fullmatch(row.code, message.code):
            says = row.said(message.text, written)
            if says:
                return row.name, says
    return "", ""


def warnings_of(builder: Builder, number: int, runner: Path, file: Path | None) -> tuple[CompilerWarning, ...]:
    """Of the lab's own file as it was built, or of the `file` that `runner` was made of."""
    if file is not None:
        return _kept(runner.with_name(MADE), file)
    folder = builder.commands(number).folder
    beside = own_object(builder.build, folder)
    return _kept(beside.with_name(beside.name + BESIDE), file_of(builder.root, folder))


def _kept(path: Path, source: Path) -> tuple[CompilerWarning, ...]:
    try:
        with path.open("rb") as kept:
            text = kept.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    return warnings_in(text, source)[:MOST]


def warning_lines(warnings: Sequence[CompilerWarning]) -> list[str]:
    """What a person reads, at the top of a report: each with its source line."""
    lines = []
    for one in warnings[:MOST]:
        lines.append(f"warning: {one.says}    {one.where}")
        if one.text.strip():
            lines.append(f"> {one.where.rpartition(':')[2]:>5}  {one.text}")
    return lines
