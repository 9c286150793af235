"""Archives, read in memory and within limits: zip, tar, tar.gz and tar.bz2. Anything unexpected raises Refused."""

from __future__ import annotations

import bz2
import gzip
import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import BinaryIO

from classes.submitted_files import MOST_ITEMS, Item, Refused, is_junk, shown, size, within

MOST_UNPACKED = 256 << 20  # what all members of a student's archive may hold together, as they say themselves
MOST_TAR = 64 << 20  # a tar is unpacked in memory
_MOST_DIRECTORY = 4 << 20  # bytes of a zip's table of contents
_OTHERS = {b"Rar!": "a RAR", b"7z\xbc\xaf": "a 7z", b"\xfd7zX": "an xz", b"(\xb5/\xfd": "a zstd"}
_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".gz", ".bz2", ".xz", ".7z", ".rar", ".zst")
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError, ValueError, struct.error,
    NotImplementedError, RuntimeError, OverflowError, IndexError, KeyError,
)  # fmt: skip


def is_archive(name: str) -> bool:
    return name.casefold().endswith(_SUFFIXES)


def looks_like_archive(data: bytes) -> bool:
    """Decides by the first bytes, whatever the file is called."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", *_OTHERS)) or data[257:262] == b"ustar"


def archive_items(data: bytes, name: str) -> list[Item]:
    """The files of a student's archive, without junk. Raises Refused for one that is broken, huge or hostile."""
    if not data:
        raise Refused(f"{shown(name)} is empty")
    for magic, kind in _OTHERS.items():
        if data.startswith(magic):
            raise Refused(f"{shown(name)} is {kind} archive; only zip, tar, tar.gz and tar.bz2 are opened")
    try:
        if data.startswith(b"PK"):
            _check_directory(data, name)
            return zip_items(io.BytesIO(data), name)
        return _tar_items(data, name)
    except _BROKEN as error:
        raise Refused(f"{shown(name)} is broken or is not an archive: {shown(str(error))}") from None


def zip_items(file: BinaryIO, name: str, trusted: bool = False) -> list[Item]:
    """`trusted`: what an instructor downloaded, which may be as large as a class is."""
    archive = zipfile.ZipFile(file)
    members = archive.infolist()
    if not trusted and len(members) > MOST_ITEMS:
        raise Refused(f"{shown(name)} holds more than {MOST_ITEMS:,} files")
    unpacked = sum(member.file_size for member in members)
    if not trusted and unpacked > MOST_UNPACKED:
        raise Refused(f"{shown(name)} unpacks to {size(unpacked)}; {size(MOST_UNPACKED)} are allowed")
    found = []
    for member in members:
        try:
            path = _inside(_name_of(member), name)
        except Refused:
            if not trusted:
                raise
            parts = [part for part in re.split(r"[/\\\0]+", _name_of(member)) if part not in ("", ".", "..")]
            found.append(Item("/".join(parts), lambda limit: b"", "path out of the archive"))
            continue
        if path and not member.is_dir() and not path.endswith("/") and not is_junk(path):
            mode = member.external_attr >> 16
            found.append(Item(path, _reader(archive, member, path), _kind(mode)))
    return found


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "link"
    return "file" if stat.S_IFMT(mode) in (0, stat.S_IFREG) else "special file"


def _name_of(member: zipfile.ZipInfo) -> str:
    """Names are UTF-8 if the archive says so; many programs write UTF-8 without saying so."""
    name = member.orig_filename
    if member.flag_bits & 0x800:
        return name
    raw = name.encode("cp437", "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return name


def _inside(path: str, archive: str) -> str:
    """The path with forward slashes. Raises Refused if it leads out of the archive."""
    plain = path.replace("\\", "/")
    if plain.startswith("/") or re.match(r"[A-Za-z]:", plain) or ".." in plain.split("/") or "\0" in plain:
        raise Refused(f"{shown(archive)} holds a path that leads out of it: {shown(path)}")
    return "/".join(part for part in plain.split("/") if part not in ("", ".")) + ("/" if plain.endswith("/") else "")


def _reader(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        if member.flag_bits & 0x1:
            raise Refused(f"{shown(path)} is locked with a password")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
            raise Refused(f"{shown(path)} is packed by method {member.compress_type}; make an ordinary zip")
        try:
            with archive.open(member) as file:
                return within(file.read(limit + 1), limit, path)
        except _BROKEN as error:
            raise Refused(f"{shown(path)} cannot be unpacked: {shown(str(error))}") from None

    return read


def _check_directory(data: bytes, name: str) -> None:
    """Before Python reads the table of contents: it makes half a kilobyte of each entry, and entries are small."""
    tail = data[-(22 + 65535) :]
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise zipfile.BadZipFile("it ends too early")
    directory = struct.unpack_from("<L", tail, at + 12)[0]
    if directory > _MOST_DIRECTORY or tail[max(at - 20, 0) : at].startswith(b"PK\x06\x07"):
        raise Refused(f"{shown(name)} has a table of contents of {size(directory)}: too many files for a submission")


def _tar_items(data: bytes, name: str) -> list[Item]:
    source: io.BytesIO | gzip.GzipFile | bz2.BZ2File = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        source = gzip.GzipFile(fileobj=io.BytesIO(data))
    elif data.startswith(b"BZh"):
        source = bz2.BZ2File(io.BytesIO(data))
    unpacked = source.read(MOST_TAR + 1)
    if len(unpacked) > MOST_TAR:
        raise Refused(f"{shown(name)} unpacks to more than {size(MOST_TAR)}")
    archive = tarfile.TarFile(fileobj=io.BytesIO(unpacked))
    found = []
    for count, member in enumerate(archive):
        if count >= MOST_ITEMS:
            raise Refused(f"{shown(name)} holds more than {MOST_ITEMS:,} files")
        path = _inside(member.name, name)
        if member.isdir() or is_junk(path):
            continue
        kind = "file" if member.isreg() else "link" if member.issym() or member.islnk() else "special file"
        found.append(Item(path, _tar_reader(archive, member, path), kind))
    return found


def _tar_reader(archive: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        try:
            file = archive.extractfile(member) if member.isreg() else None
            return within(file.read(limit + 1), limit, path) if file else b""
        except _BROKEN as error:
            raise Refused(f"{shown(path)} cannot be unpacked: {shown(str(error))}") from None

    return read
