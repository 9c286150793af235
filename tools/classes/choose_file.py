"""The one file of the lab among all that a student has handed in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.plan.labs import file_of, find, folders
from classes.archives import archive_items, is_archive, looks_like_archive
from classes.submitted_files import MOST_ARCHIVE, Item, Refused, shown

MOST_SOURCE = 1 << 20  # bytes of a source file
MOST_VERSIONS = 2  # folders with the lab's file in them that are one person's, such as final/ and draft/
CODE = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".txt")
_NOT_CODE = {
    b"%PDF": "a PDF", b"{\\rtf": "a rich text document", b"\x7fELF": "a program", b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture", b"GIF8": "a picture", b"\xd0\xcf\x11\xe0": "an Office document",
}  # fmt: skip


@dataclass(frozen=True)
class Lab:
    """What is asked for."""

    number: int
    file: str  # scan.cu
    folder: str  # 03-scan
    others: tuple[str, ...] = ()  # files of the other labs
    skeleton: bytes = b""


def lab_of(root: Path, number: int) -> Lab:
    folder = find(root, str(number))
    files = {at: file_of(root, path.name).name for at, path in folders(root).items()}
    skeleton = (folder / "grading" / "skeleton.cu.txt").read_bytes()
    return Lab(number, files[number], folder.name, tuple(name for at, name in files.items() if at != number), skeleton)


@dataclass(frozen=True)
class Chosen:
    """The file to grade, as UTF-8 text with the line ends that it came with."""

    path: str
    data: bytes
    notes: tuple[str, ...] = ()


def choose(items: Sequence[Item], lab: Lab, several: bool = False) -> Chosen:
    """Raises Refused, with a reason that names what is there instead.

    `several`: the items were handed in one by one, so that no folder and no number in a name tells which one counts.
    """
    if not items:
        raise Refused("is empty")
    if all(item.kind != "file" for item in items):
        raise Refused(f"is a {items[0].kind}, which is not followed; {lab.file} itself is wanted")
    code = [item for item in items if _stem(item.name) and not is_archive(item.name)]
    archives = [item for item in items if is_archive(item.name)]
    if not _named(code, lab) and archives:
        return _from_archives(archives, code, lab, several)
    return _from_files(code, items, lab, several=several)


def _from_archives(archives: list[Item], code: list[Item], lab: Lab, several: bool) -> Chosen:
    newest = archives if several else _newest(archives)
    if len(newest) > 1:
        names = ", ".join(shown(item.path, 60) for item in newest[:4])
        raise Refused(f"holds {len(newest)} archives ({names}); hand in one, or {lab.file} itself")
    archive = newest[0]
    inside = archive_items(_plain(archive, MOST_ARCHIVE), archive.name)
    sources = [item for item in inside if _stem(item.name)]
    if not sources and not code:
        nested = [item for item in inside if is_archive(item.name)]
        if nested:
            raise Refused(
                f"{shown(archive.name)} holds another archive ({shown(nested[0].path)}); put {lab.file} in it"
            )
    if sources or not code:
        chosen = _from_files(sources, inside, lab, shown(archive.name))
        note = f"of {len(archives)} archives, the newest by its name" if len(archives) > 1 else ""
        return Chosen(f"{archive.path}: {chosen.path}", chosen.data, (*chosen.notes, *([note] if note else [])))
    return _from_files(code, code, lab)


def _from_files(code: list[Item], items: Sequence[Item], lab: Lab, where: str = "", several: bool = False) -> Chosen:
    """`code`: the candidates; `items`: all files, for the message."""
    named = _named(code, lab)
    own = [item for item in code if item.name.casefold().endswith((".cu", ".cuh"))]
    own = [item for item in own if _clean_name(item.name) not in lab.others]
    candidates = named or own
    programs = [item for item in own if item not in candidates and item.name.casefold().endswith(".cu")]
    if not candidates:
        raise Refused(_nothing(items, lab, where))
    candidates, notes = _without_skeletons(candidates, lab)
    different = len(candidates) > 1 and len({_plain(item, MOST_SOURCE) for item in candidates}) > 1
    if different and not named:
        raise Refused(f"holds {len(candidates)} CUDA files ({_some(candidates)}), none of them called {lab.file}")
    if different and several:
        raise Refused(
            f"holds {len(candidates)} different files that may be {lab.file} ({_some(candidates)}); hand in one"
        )
    if len(candidates) > 1:
        number, candidates = len(candidates), _preferred(candidates, lab)
        kind = "different" if different else "equal"
        notes.append(f"of {number} {kind} files, {shown(candidates[0].path)} was taken")
    chosen = candidates[0]
    folder = chosen.path.rpartition("/")[0]
    beside = [item for item in programs if item.path.rpartition("/")[0] == folder]
    if beside:
        notes.append(f"beside it, and not used: {_some(beside)}")
    if _clean_name(chosen.name) != lab.file or not chosen.name.casefold().endswith(".cu"):
        notes.append(f"its name is {shown(chosen.name)}, not {lab.file}")
    data, more = as_source(_plain(chosen, MOST_SOURCE), chosen.name)
    if _squeezed(data) == _squeezed(lab.skeleton):
        notes.append("is the skeleton as it was handed out")
    return Chosen(chosen.path, data, (*notes, *more, *_unusual(data)))


def _without_skeletons(candidates: list[Item], lab: Lab) -> tuple[list[Item], list[str]]:
    """A skeleton beside a file with work in it is not what was meant."""
    if len(candidates) < 2 or any(item.kind != "file" for item in candidates):
        return candidates, []
    skeletons = [item for item in candidates if _squeezed(item.read(MOST_SOURCE)) == _squeezed(lab.skeleton)]
    if not skeletons or len(skeletons) == len(candidates):
        return candidates, []
    kept = [item for item in candidates if item not in skeletons]
    return kept, [f"a skeleton beside it was left out: {_some(skeletons)}"]


def _squeezed(data: bytes) -> bytes:
    return b"".join(data.removeprefix(b"\xef\xbb\xbf").split())


_PROCESSES = re.compile(rb"\b(v?fork|clone3?|posix_spawnp?|popen|system|exec[lv]p?e?)\s*\(")
_OUTSIDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|embed)[ \t]*["<]([/~][^">\n]*|[^">\n]*\.\./[^">\n]*)', re.MULTILINE)
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


def _unusual(data: bytes) -> tuple[str, ...]:
    """What starts processes or reads other files, for a person to look at. The cage stops it; a name can be hidden."""
    code = _COMMENT.sub(lambda found: b"\n" * found[0].count(b"\n"), data)
    notes = []
    for pattern, said in ((_PROCESSES, "calls {}()"), (_OUTSIDE, "includes {}")):
        if found := pattern.search(code):
            line = code[: found.start(1)].count(b"\n") + 1
            what = shown(found[1].decode("utf-8", "replace"), 60)
            notes.append(f"{said.format(what)} in line {line}, which no task needs")
    return tuple(notes)


def is_whole_class(items: Sequence[Item], lab: Lab) -> bool:
    """Whether this holds several people's work, each in a folder of its own."""
    files = _named([item for item in items if _stem(item.name)], lab)
    return len({item.path.partition("/")[0] for item in files if "/" in item.path}) > MOST_VERSIONS


def _plain(item: Item, limit: int) -> bytes:
    if item.kind != "file":
        raise Refused(f"{shown(item.path)} is a {item.kind}, not a file")
    return item.read(limit)


def _preferred(candidates: list[Item], lab: Lab) -> list[Item]:
    """The one in the lab's folder of a whole repository; the newest by its name; the one nearest to the top."""
    there = f"labs/{lab.folder}/{lab.file}"
    best = [item for item in candidates if item.path == there or item.path.endswith("/" + there)] or candidates
    exact = [item for item in best if item.name.casefold() == lab.file.casefold()]
    depth = min(item.path.count("/") for item in best)
    top = [item for item in best if item.path.count("/") == depth]
    best = _newest(top) if len(top) > 1 else top
    if len(best) > 1 and len(exact) == 1 and exact[0] in best:
        best = exact
    if len(best) > 1 and len({_plain(item, MOST_SOURCE) for item in best}) > 1:
        raise Refused(f"holds {len(best)} files that may be {lab.file} ({_some(best)}); hand in one")
    return best[:1]


def _some(items: Sequence[Item]) -> str:
    return ", ".join(shown(item.path, 60) for item in items[:4]) + (", …" if len(items) > 4 else "")


def _newest(items: list[Item]) -> list[Item]:
    """The newest, by the numbers that Canvas and browsers append to a name: scan-2.cu, scan (1).cu."""
    most = max(_number(item.name) for item in items)
    return [item for item in items if _number(item.name) == most]


def _number(name: str) -> int:
    found = re.search(r"(?:-(\d{1,4})|\s?\((\d{1,4})\))$", _stem(name) or name.partition(".")[0])
    return int(found[1] or found[2]) if found else 0


def _stem(name: str) -> str:
    """The name without its source-file ending; "" if it has none."""
    low = name.casefold()
    for ending in (*(f"{code}.txt" for code in CODE), *CODE):
        if low.endswith(ending) and len(low) > len(ending):
            return name[: -len(ending)]
    return ""


def _clean_name(name: str) -> str:
    """scan.cu for scan-1.cu, Scan (2).cu, Copy of scan.cu, scan_final.cu, scan2.cu, scan.cu.txt."""
    stem = re.sub(r"(-\d{1,4}|\s?\(\d{1,4}\))+$", "", _stem(name).casefold())
    stem = re.sub(r"^copy of |( - copy|[_ -](final|copy|new|v?\d{1,2}))+$", "", stem)
    if not re.match(r"(lab|exercise|assignment|task|hw)\d", stem):
        stem = re.sub(r"(?<=[a-z]{4})\d{1,2}$", "", stem)
    return f"{stem}.cu"


def _named(code: list[Item], lab: Lab) -> list[Item]:
    """The files with the lab's name: exactly, or else as people and platforms change it."""
    exact = [item for item in code if _clean_name(item.name) == lab.file and item.name.casefold().endswith(".cu")]
    if exact:
        return exact
    stem, n = lab.file.removesuffix(".cu"), lab.number
    alike = re.compile(
        rf"(lab|exercise|assignment|task|hw)?[ _-]?0?{n}([ _-]{stem})?\.cu|.*[_ -]{stem}\.cu|{stem}[_ -].*\.cu"
    )
    return [item for item in code if _clean_name(item.name) == lab.file or alike.fullmatch(_clean_name(item.name))]


def _nothing(items: Sequence[Item], lab: Lab, where: str) -> str:
    names = [shown(item.path, 40) for item in items[:3]]
    there = ", ".join(names) + (f" and {len(items) - 3} more" if len(items) > 3 else "")
    wrong = [item for item in items if _stem(item.name) and _clean_name(item.name) in lab.others]
    if wrong:
        return f"holds {shown(wrong[0].name)}, the file of another lab, and no {lab.file}"
    if items and all(re.search(r"(onlinetext|_text|^text)\.html?$", item.name.casefold()) for item in items):
        return f"is text typed into the page; {lab.file} must be handed in as a file"
    return f"{where + ' ' if where else ''}holds no {lab.file}" + (f", only {there}" if there else ": it is empty")


def as_source(data: bytes, name: str) -> tuple[bytes, tuple[str, ...]]:
    """Bytes as a compiler takes them, and what was done to them. Raises Refused for what is not source text."""
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise Refused(f"{shown(name)} is empty")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16").encode(), ("was UTF-16",)
        except UnicodeError:
            raise Refused(f"{shown(name)} is broken UTF-16 text") from None
    for magic, kind in _NOT_CODE.items():
        if data.startswith(magic):
            raise Refused(f"{shown(name)} is {kind}, not a source file")
    if looks_like_archive(data):
        raise Refused(f"{shown(name)} is an archive by its contents, not a source file")
    if re.match(rb"(?i)\s*(<!doctype html|<html)", data.removeprefix(b"\xef\xbb\xbf")):
        raise Refused(f"{shown(name)} is a web page, not a source file")
    if b"\0" in data:
        raise Refused(f"{shown(name)} is not a text file: it contains zero bytes")
    if b"\r" in data and b"\n" not in data:
        return data.replace(b"\r", b"\n"), ("had line ends of classic Macs",)
    return data, ()
