"""Deletes what was built from older files. Of other people's files, the newest are kept for the next time."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from pathlib import Path

KEPT_FILES, KEPT_BYTES = 1000, 4 << 30  # more than there are mistakes, so that only changed ones are compiled again


def own_object(build: Path, folder: str) -> Path:
    """What labs/03-scan/scan.cu is compiled to; `folder`: 03-scan."""
    return build / f"CMakeFiles/lab{int(folder[:2])}.dir/labs/{folder}/{folder[3:]}.cu.o"


def forget_outdated(build: Path, source: Path) -> None:
    """Before a lab's own file is built: deletes what was compiled from other contents.

    Ninja compares only times. If a copy with an old date is put back, or the clock jumps, it would keep an older
    program, which would then be graded.
    """
    made = own_object(build, source.parent.name)
    contents = made.with_name(f"{made.name}.sha256")
    with contextlib.suppress(OSError):  # no source, no folder yet: nothing was built
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
        if not contents.exists() or contents.read_text() != digest:
            made.unlink(missing_ok=True)
            contents.write_text(digest)


def forget_old(folder: Path, files: int = KEPT_FILES) -> None:
    """Deletes old programs in build/graded, by number and size. Several graders may do so at once."""
    used, size = [], 0
    for made in folder.glob("lab*-*"):
        with contextlib.suppress(FileNotFoundError):  # another grader may delete it at this moment
            used.append((made.stat().st_mtime, made))
    for number, (_, made) in enumerate(sorted(used, reverse=True)):
        with contextlib.suppress(FileNotFoundError):  # another build renames its files meanwhile
            size += sum(path.stat().st_size for path in made.iterdir())
        if number >= files or (size > KEPT_BYTES and number > 0):
            shutil.rmtree(made, ignore_errors=True)
            (folder / f".{made.name}.lock").unlink(missing_ok=True)
