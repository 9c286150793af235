"""A class: which of a student's files is the lab's; what is refused, and with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from classes.choose_file import MOST_SOURCE, choose
from classes.submitted_files import Item, Refused, folder_items
from classes.tests.support import LAB, put, zipped


def refusal(files: dict[str, str | bytes], tmp_path: Path) -> str:
    """Why a folder with these files is refused."""
    for name, data in files.items():
        put(tmp_path / "one" / name, data)
    (tmp_path / "one").mkdir(exist_ok=True)
    with pytest.raises(Refused) as refused:
        choose(folder_items(tmp_path / "one"), LAB)
    return str(refused.value)


def taken(files: dict[str, str | bytes], tmp_path: Path) -> str:
    for name, data in files.items():
        put(tmp_path / "one" / name, data)
    return choose(folder_items(tmp_path / "one"), LAB).path


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({"scan.cu": "a", "old/scan.cu": "b", "scan.h": "c"}, "scan.cu"),
        ({"scan.cu": "a", "scan-1.cu": "b", "scan-2.cu": "c"}, "scan-2.cu"),
        ({"Scan (1).cu": "a", "notes.txt": "b"}, "Scan (1).cu"),
        ({"labs/03-scan/scan.cu": "a", "scan.cu": "b"}, "labs/03-scan/scan.cu"),
        ({"my_scan.cu": "a", "main.cu": "b"}, "my_scan.cu"),
        ({"solution.cu": "a"}, "solution.cu"),
        ({"scan.cu.txt": "a"}, "scan.cu.txt"),
        ({"scan.cu": "a", "scan2.cu": "b"}, "scan.cu"),
        ({"scan2.cu": "a"}, "scan2.cu"),
        ({"lab03.cu": "a", "reduce.cu": "b"}, "lab03.cu"),
        ({"scan.cu": "a", "all.zip": b"PK"}, "scan.cu"),
        ({"a.zip": zipped({"x/scan.cu": "a"}), "a-1.zip": zipped({"y/scan.cu": "a"})}, "a-1.zip: y/scan.cu"),
    ],
)
def test_the_file_of_the_lab(tmp_path: Path, files: dict[str, str | bytes], path: str) -> None:
    assert taken(files, tmp_path) == path


def test_other_programs_beside_it_are_told(tmp_path: Path) -> None:
    files = {"scan.cu": "a", "attempt.cu": "b", "mine.cuh": "c", "reduce.cu": "d", "old/scan_v1.cu": "e", "x/y.cu": "f"}
    for name, text in files.items():
        put(tmp_path / "one" / name, text)
    chosen = choose(folder_items(tmp_path / "one"), LAB)
    assert chosen.path == "scan.cu" and "beside it, and not used: attempt.cu" in chosen.notes
    two = [Item("scan.cu", lambda _: b"a"), Item("scan2.cu", lambda _: b"b")]
    with pytest.raises(Refused, match=r"holds 2 different files that may be scan\.cu"):
        choose(two, LAB, several=True)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "is empty"),
        ({"scan.cu": " \n"}, "scan.cu is empty"),
        ({"scan.cu": b"%PDF-1.4"}, "scan.cu is a PDF"),
        ({"scan.cu": zipped({"scan.cu": "a"})}, "is an archive by its contents"),
        ({"scan.cu": b"a\0b"}, "contains zero bytes"),
        ({"scan.cu": b"\xff\xfe\x00\xd8"}, "broken UTF-16"),
        ({"scan.cu": "<!DOCTYPE html><html>"}, "is a web page"),
        ({"scan.cu": b"/" * (MOST_SOURCE + 1)}, "is larger than 1 MB"),
        ({"report.docx": b"PK", "a.png": b"x"}, "holds no scan.cu, only a.png, report.docx"),
        ({"reduce.cu": "a"}, "holds reduce.cu, the file of another lab, and no scan.cu"),
        ({"one.cu": "a", "two.cu": "b"}, "holds 2 CUDA files (one.cu, two.cu), none of them called scan.cu"),
        ({"a/scan.cu": "a", "b/scan.cu": "b"}, "holds 2 files that may be scan.cu"),
        ({"a.zip": zipped({"b.zip": zipped({"scan.cu": "a"})})}, "holds another archive (b.zip)"),
        ({"a.zip": zipped({"b.tar.gz": b"x"})}, "holds another archive (b.tar.gz)"),
        ({"a.zip": zipped({"../../scan.cu": "a"})}, "a path that leads out of it: ../../scan.cu"),
        ({"a.zip": zipped({"..\\scan.cu": "a"})}, "a path that leads out of it"),
        ({"a.zip": zipped({"C:\\scan.cu": "a"})}, "a path that leads out of it"),
        ({"a.zip": zipped({"/etc/scan.cu": "a"})}, "a path that leads out of it"),
        ({"a.zip": zipped({"scan.cu": "/etc/passwd"}, link="scan.cu")}, "is a link"),
        ({"a.zip": zipped({"scan.cu": b"\0" * (8 << 20)})}, "is larger than 1 MB"),
        ({"a.zip": zipped({"x.bin": b"\0" * (257 << 20)})}, "unpacks to 257 MB"),
        ({"a.zip": zipped({})}, "holds no scan.cu: it is empty"),
        ({"a.zip": zipped({"scan.cu": "a"})[:-30]}, "is broken"),
        ({"a.zip": b"not a zip"}, "is broken or is not an archive"),
        ({"a.7z": b"7z\xbc\xaf\x27\x1c"}, "is a 7z archive"),
        ({"a.rar": b"Rar!\x1a\x07"}, "is a RAR archive"),
        ({"a.zip": zipped({"scan.cu": "a"}), "b.zip": zipped({"scan.cu": "a"})}, "holds 2 archives"),
    ],
)
def test_what_is_refused(tmp_path: Path, files: dict[str, str | bytes], says: str) -> None:
    assert says in refusal(files, tmp_path)


def test_texts_as_other_systems_write_them(tmp_path: Path) -> None:
    text = "// a\r\n__global__ void f();\r\n"
    items = [put(tmp_path / f"{n}/scan.cu", data).parent for n, data in enumerate((
        text.encode(), b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16"), text.replace("\r\n", "\r").encode(),
    ))]  # fmt: skip
    made = [choose(folder_items(folder), LAB) for folder in items]
    assert [one.notes for one in made] == [(), (), ("was UTF-16",), ("had line ends of classic Macs",)]
    assert [b"__global__ void f();" in one.data.splitlines() for one in made] == [True] * 4
