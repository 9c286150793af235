"""A mistake as students hand in theirs: one file, with the solution's headers where they are included."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from mistakes.catalog import Mistake
from mistakes.generate import originals, texts

_INCLUDE = re.compile(r'^#include "([^"]+)"[^\n]*$', re.MULTILINE)
_ONCE = re.compile(r"^#pragma once[^\n]*$", re.MULTILINE)


def flat(name: str, files: Mapping[str, str]) -> str:
    """The text of this file with each of the others where it is first included."""
    met: set[str] = set()

    def included(found: re.Match[str]) -> str:
        other = found[1]
        if other not in files:
            return found[0]
        if other in met:
            return ""
        met.add(other)
        return _INCLUDE.sub(included, _ONCE.sub("", files[other]))

    return _INCLUDE.sub(included, files[name])


def flat_texts(mistake: Mistake) -> tuple[str, str]:
    """The file before and after the mistake was made; a program of its own has none before."""
    name = mistake.source.name
    before = "" if mistake.entry.file else flat(name, originals(mistake))
    return before, flat(name, texts(mistake))


def write_flat(mistake: Mistake) -> Path:
    """Writes the file to build/mistakes/, where a file may leave tasks out."""
    folder = mistake.lab.parents[1] / "build" / "mistakes" / mistake.lab.name / "flat" / mistake.task / mistake.name
    folder.mkdir(parents=True, exist_ok=True)
    path, text = folder / mistake.source.name, flat_texts(mistake)[1]
    if not path.is_file() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")
    return path
