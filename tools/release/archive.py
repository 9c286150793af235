"""Writes the archive: the same files give the same bytes."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

from autograder.files import write_whole
from release.contents import File


def packed(files: Mapping[str, File], top: str, seconds: int) -> bytes:
    """A .tar.gz in which all is in one folder and of one date and owner."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, file in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime, entry.mode = len(file.data), seconds, 0o755 if file.executable else 0o644
            tar.addfile(entry, io.BytesIO(file.data))
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=seconds) as zipped:
        zipped.write(made.getvalue())
    return packed.getvalue()


def written(data: bytes, path: Path) -> str:
    """Puts the file there as a whole or not at all. Returns its digest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
    return hashlib.sha256(data).hexdigest()
