"""Writes files entirely or not at all, and loses nothing that was there."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path


def write_whole(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Writes or replaces a file; after a crash the old one or the new one is there. A link stays a link.

    Never replaces what is not a file, such as a device or a pipe. If it raises OSError, the old file is unchanged.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        why = os.strerror(errno.EISDIR) if target.is_dir() else "is a device or a pipe, not a file"
        raise OSError(errno.EINVAL, f"{why}; choose another name", str(path))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(handle)
        Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def save_copy(file: Path, data: bytes) -> Path:
    """A dated copy beside the file, under a new name; it is on disk when this returns. Raises OSError."""
    stem = f"{file.name}.saved-{datetime.now():%Y-%m-%d-%H%M%S}"
    for number in range(1, 1000):
        copy = file.with_name(stem if number == 1 else f"{stem}-{number}")
        try:
            handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            continue
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(handle)
        return copy
    raise FileExistsError(errno.EEXIST, "there are too many copies of this second already", str(file.with_name(stem)))


def write_saving(path: Path, data: bytes) -> str:
    """Writes a file that a person has named. An old file is saved first; returns a message about that, or "".

    Makes missing folders. If it raises OSError, the old file is unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    there = path.read_bytes() if path.is_file() else data
    told = "" if there == data else f"; what was there is saved: {save_copy(path, there)}"
    write_whole(path, data)
    return told
