"""The symbols that an object file, an archive or a shared library defines for others.

Our own reader, because a submission's object file cannot be trusted and `nm` was not written for such files.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SECTION = struct.Struct("<IIQQQQIIQQ")  # name, type, flags, address, offset, size, link, info, alignment, entry size
_SYMBOL = struct.Struct("<IBBHQQ")  # name, binding and type, visibility, section, value, size
_SYMTAB, _DYNSYM = 2, 11
_GLOBAL, _WEAK, _UNIQUE = 1, 2, 10


@dataclass(frozen=True)
class Symbol:
    """A name that other files can refer to."""

    name: str
    weak: bool


def defined(path: Path) -> Iterator[Symbol]:
    """Raises ValueError for another kind of file, or a damaged one."""
    data = path.read_bytes()
    try:
        for member in _members(data) if data.startswith(b"!<arch>\n") else [data]:
            yield from _symbols(member)
    except (struct.error, IndexError):
        raise ValueError(f"{path}: damaged") from None


def _members(archive: bytes) -> Iterator[bytes]:
    at = 8
    while at + 60 <= len(archive):
        size = int(archive[at + 48 : at + 58])
        member = archive[at + 60 : at + 60 + size]
        if member.startswith(b"\x7fELF"):  # the others are lists of names
            yield member
        at += 60 + size + size % 2


def _part(data: bytes, start: int, size: int) -> bytes:
    if start + size > len(data):
        raise ValueError("a part of the file is missing")
    return data[start : start + size]


def _symbols(data: bytes) -> Iterator[Symbol]:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not an ELF file of 64 bits")
    (start,) = struct.unpack_from("<Q", data, 0x28)
    (count,) = struct.unpack_from("<H", data, 0x3C)
    count = count or _SECTION.unpack_from(data, start)[5]  # more than fit into 16 bits
    sections = list(_SECTION.iter_unpack(_part(data, start, count * _SECTION.size)))
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind not in (_SYMTAB, _DYNSYM):
            continue
        names = _part(data, sections[link][4], sections[link][5])
        for name, info, _, section, _, _ in _SYMBOL.iter_unpack(_part(data, offset, size)):
            binding = info >> 4
            if section and binding in (_GLOBAL, _WEAK, _UNIQUE):
                text = names[name : names.index(b"\0", name)].decode("utf-8", "replace")
                yield Symbol(text.partition("@")[0], binding in (_WEAK, _UNIQUE))
