"""Who handed in what: a folder or a file a student, and the downloads of Gradescope, Moodle and Canvas.

Each entry is recognised by its own name, so that a folder may hold a mixture:

    Gradescope  submission_1234567/…                     names, ids and dates are in submission_metadata.yml
    Moodle      Ada Lovelace_12345_assignsubmission_file_/scan.cu    or as a file: …_assignsubmission_file_scan.cu
    Canvas      lovelaceada_LATE_1234_56789_scan-1.cu    name, late or not, user, attachment
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from zipfile import BadZipFile

from autograder.errors import UsageError
from classes.archives import is_archive, zip_items
from classes.metadata import METADATA, submitters
from classes.submitted_files import Item, Refused, decoded, file_item, folder_items, is_junk, shown

_MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?")
_CANVAS = re.compile(
    r"(?P<name>[^_]+(?:_[^_\d][^_]*)*?)_(?:(?P<late>LATE)_)?(?P<id>\d+)_(?P<file>\d+_.+|(?:text|link)\.html?)"
)
_GRADESCOPE = re.compile(r"submission_\d+")


@dataclass(frozen=True)
class Handed:
    """What one person has handed in, not looked into yet."""

    origin: str  # its name in SUBMISSIONS
    label: str  # who, as the name says
    ids: dict[str, str] = field(default_factory=dict)  # canvas, moodle, sid, email
    late: bool = False
    when: str = ""
    loads: tuple[Callable[[], list[Item]], ...] = ()

    def items(self) -> list[Item]:
        """Raises Refused where they cannot be read."""
        return [item for load in self.loads for item in load()]


@dataclass(frozen=True)
class Entry:
    """One name at the top of SUBMISSIONS."""

    name: str
    folder: bool
    load: Callable[[], list[Item]]
    path: Path | None = None  # on disk


def handed_in(top: Path, known: Callable[[str], bool], ignore: Sequence[Path] = ()) -> list[Handed]:
    """Everything in `top`, a folder or a zip. `known`: is this the name of a person in the roster?"""
    entries = _inner(_top(top, known, ignore), known)
    found: dict[tuple[str, str], Handed] = {}
    for entry in entries:
        for number, handed in enumerate(_recognised(entry, _metadata(entries))):
            key = (handed.label, handed.ids.get("canvas") or handed.ids.get("moodle") or f"{entry.name} {number}")
            before = found.get(key)
            found[key] = _joined(before, handed) if before else handed
    return list(found.values())


def _joined(one: Handed, other: Handed) -> Handed:
    """Joins two entries of one person; if one is a file and the other typed text, the file counts."""
    text = "_onlinetext"
    if text in one.origin and text not in other.origin:
        return other
    if text in other.origin and text not in one.origin:
        return one
    return replace(one, loads=(*one.loads, *other.loads), late=one.late or other.late)


def _top(top: Path, known: Callable[[str], bool], ignore: Sequence[Path]) -> list[Entry]:
    if top.is_file():
        return _of_items(_zip(top))
    entries = _of_folder(top, {path.resolve() for path in ignore})
    zips = [entry.path for entry in entries if entry.path and entry.path.suffix.casefold() == ".zip"]
    if len(entries) == len(zips) == 1 and not entries[0].folder and not known(zips[0].stem) and zips[0].is_file():
        inside = _inner(_of_items(_zip(zips[0])), known)
        several = sum(entry.folder or is_archive(entry.name) for entry in inside) > 1
        if several or _metadata(inside) or any((*_recognised(entry, {}),)[0].ids for entry in inside):
            return inside
    return entries


def _of_folder(top: Path, passed: set[Path]) -> list[Entry]:
    try:
        paths = sorted(top.iterdir())
    except OSError as error:
        raise UsageError(f"{top}: {error.strerror}; name a folder with submissions, or a zip of them") from None
    kept = [path for path in paths if path.resolve() not in passed and not is_junk(path.name + "/x")]
    kept = [path for path in kept if not is_junk(path.name)]
    return [Entry(decoded(path.name), path.is_dir() and not path.is_symlink(), _loader(path), path) for path in kept]


def _loader(path: Path) -> Callable[[], list[Item]]:
    if path.is_dir() and not path.is_symlink():
        return lambda: folder_items(path)
    return lambda: [file_item(path, path.name)]


def _zip(path: Path) -> list[Item]:
    try:
        return zip_items(path.open("rb"), path.name, trusted=True)
    except BadZipFile:
        roster = "; a roster goes behind --roster" if path.suffix.casefold() == ".csv" else ""
        raise UsageError(f"{path}: is not a zip; name a folder with submissions, or a zip of them{roster}") from None
    except (OSError, Refused, ValueError) as error:
        raise UsageError(f"{path}: not a zip of submissions: {error}") from None


def _of_items(items: list[Item]) -> list[Entry]:
    """The top of an archive: its files by their first folder."""
    tops: dict[str, list[Item]] = {}
    for item in items:
        tops.setdefault(item.path.partition("/")[0], []).append(item)
    entries = []
    for name, members in tops.items():
        folder = any("/" in item.path for item in members)
        inside = [replace(item, path=item.path.partition("/")[2] or item.path) for item in members]
        entries.append(Entry(name, folder, lambda inside=inside: inside))  # type: ignore[misc]
    return entries


def _inner(entries: list[Entry], known: Callable[[str], bool]) -> list[Entry]:
    """Removes folders around everything, such as assignment_1234567_export/, but keeps a single student's folder."""
    inside = entries
    while len(inside) == 1 and inside[0].folder and not _is_someone(inside[0], known):
        path = inside[0].path
        try:
            inside = _of_folder(path, set()) if path else _of_items(inside[0].load())
        except Refused:
            return entries
        code = any(not entry.folder and entry.name.casefold().endswith((".cu", ".cuh")) for entry in inside)
        if code and not any(_is_someone(entry, known) for entry in inside):
            return entries
    return inside if len(inside) > 1 or any(_is_someone(entry, known) for entry in inside) else entries


def _is_someone(entry: Entry, known: Callable[[str], bool]) -> bool:
    """Decides by the roster, or by a form of name that only platforms use."""
    handed = next(_recognised(entry, {}))
    return bool(handed.ids) or bool(_GRADESCOPE.fullmatch(entry.name)) or known(handed.label)


def _metadata(entries: list[Entry]) -> dict[str, list[Handed]]:
    """Gradescope's list of who is behind a folder; more than one in a group."""
    for entry in entries:
        if entry.name == METADATA and not entry.folder:
            try:
                text = entry.load()[0].read(64 << 20).decode("utf-8-sig", "replace")
            except Refused as error:
                raise UsageError(f"{METADATA}: {error}") from None
            return {
                folder: [Handed(folder, who["name"], {k: v for k, v in who.items() if k != "name" and v}, when=when)
                         for who in people]
                for folder, (people, when) in submitters(text).items()
            }  # fmt: skip
    return {}


def _recognised(entry: Entry, metadata: dict[str, list[Handed]]) -> Iterator[Handed]:
    if entry.name == METADATA and metadata:
        return
    if entry.name in metadata:
        yield from (replace(handed, loads=(entry.load,)) for handed in metadata[entry.name])
        return
    moodle = _MOODLE.fullmatch(entry.name)
    if moodle:
        plain = (moodle["file"] or "").strip("_")
        yield Handed(entry.name, moodle["name"], {"moodle": moodle["id"]}, loads=(_renamed(entry, plain),))
        return
    canvas = None if entry.folder else _CANVAS.fullmatch(entry.name)
    if canvas:
        plain = re.sub(r"^\d+_", "", canvas["file"])
        ids, late = {"canvas": canvas["id"]}, bool(canvas["late"])
        yield Handed(entry.name, canvas["name"], ids, late, loads=(_renamed(entry, plain),))
        return
    label = entry.name if entry.folder else re.sub(r"(\.tar)?\.[A-Za-z0-9]{1,4}$", "", entry.name)
    yield Handed(entry.name, label, loads=(entry.load,))


def _renamed(entry: Entry, plain: str) -> Callable[[], list[Item]]:
    """A single file under the name that the student gave it."""
    if entry.folder or not plain:
        return entry.load
    return lambda: [replace(item, path=shown(plain, 200)) for item in entry.load()]
