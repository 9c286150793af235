"""Files in archives, also hostile ones."""

from __future__ import annotations

import struct
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from classes.choose_file import choose
from classes.submitted_files import Refused, folder_items
from classes.tests.support import LAB, put, zipped
from classes.tests.test_choose_file import refusal, taken


def test_locked_and_lying_archives(tmp_path: Path) -> None:
    data = bytearray(zipped({"scan.cu": "a" * 5000}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "locked with a password" in refusal({"a.zip": bytes(data)}, tmp_path / "locked")
    data = bytearray(zipped({"scan.cu": b"\0" * (64 << 20)}))
    struct.pack_into("<L", data, data.index(b"PK\x01\x02") + 24, 100)  # says that it unpacks to 100 bytes
    assert "scan.cu" in refusal({"a.zip": bytes(data)}, tmp_path / "lying")
    data = bytearray(zipped({"scan.cu": "a"}))
    struct.pack_into("<L", data, data.index(b"PK\x05\x06") + 12, 100 << 20)
    assert "too many files" in refusal({"a.zip": bytes(data)}, tmp_path / "huge")


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2"])
def test_tars(tmp_path: Path, mode: str) -> None:
    made = BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for name, kind in (("lab/scan.cu", tarfile.REGTYPE), ("lab/link", tarfile.SYMTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, 4 if kind == tarfile.REGTYPE else 0, "/etc/passwd"
            archive.addfile(info, BytesIO(b"// a"))
    assert taken({"a.tar.gz": made.getvalue()}, tmp_path) == "a.tar.gz: lab/scan.cu"
    made = BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        info = tarfile.TarInfo("x.bin")
        info.size = 80 << 20
        archive.addfile(info, BytesIO(bytes(info.size)))
    if mode != "w":
        assert "unpacks to more than 64 MB" in refusal({"b.tgz": made.getvalue()}, tmp_path / "bomb")


@pytest.mark.parametrize("cut", range(0, 400, 7))
def test_broken_archives_never_crash(tmp_path: Path, cut: int) -> None:
    data = bytearray(zipped({"scan.cu": "// a\n" * 40, "läb/x.txt": "b"}))
    data[cut % len(data)] ^= 0xFF
    put(tmp_path / "one/a.zip", bytes(data))
    try:
        assert choose(folder_items(tmp_path / "one"), LAB).data.startswith(b"//")
    except Refused as refused:
        assert str(refused)
