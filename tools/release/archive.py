"""Writes the archive: the same files give the same bytes."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping

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
