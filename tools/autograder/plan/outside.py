"""Refuses a file in the repository that students must not read: they can read the repository."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from autograder.errors import UsageError

MOST_LINKS = 40  # on the way to a file, as in Linux


def refuse_inside(path: Path, root: Path, what: str) -> None:
    """UsageError if the file is in the repository by its path, through a link, or by a second name."""
    top = root.resolve()
    inside = _on_the_way(path, top) or _second_name(path, top)
    if inside:
        raise UsageError(
            f"{what}: is in the repository, where students can read it ({inside}); "
            f"keep it outside, for example in {top.parent}/"
        )


def _on_the_way(path: Path, top: Path) -> Path | None:
    """The file, or a link on the way to it, that is in this folder."""
    at, links = Path("/"), 0
    parts = list(reversed(path.absolute().parts[1:]))
    while parts:
        part = parts.pop()
        at = at.parent if part == ".." else at / part
        if at.is_symlink() and links < MOST_LINKS:
            if at.is_relative_to(top):
                return at
            links += 1
            target = at.readlink()
            at = at.parent if not target.is_absolute() else Path("/")
            parts += reversed([part for part in target.parts if part != "/"])
    return at if at.is_relative_to(top) else None


def _second_name(path: Path, top: Path) -> Path | None:
    """The other name, in this folder, of a file with several."""
    try:
        there = path.stat()
    except (OSError, ValueError):  # what is wrong with it is said where it is read
        return None
    if there.st_nlink < 2 or not path.is_file():
        return None
    for folder, _, names in os.walk(top):
        for name in names:
            with contextlib.suppress(OSError):  # a file that is gone by now
                if os.path.samestat(there, Path(folder, name).lstat()):
                    return Path(folder, name)
    return None
