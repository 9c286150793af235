"""Files as they were handed in, in folders and in archives, not read yet.

Nothing is ever unpacked: a member of an archive is read into memory, up to a limit, under no path at all.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.sanitize import clean

MOST_ITEMS = 20_000  # of one submission
MOST_ARCHIVE = 32 << 20  # bytes of an archive that a student hands in
_JUNK_NAMES = ("__macosx", ".ds_store", "thumbs.db", "desktop.ini", ".localized", "icon\r")
_JUNK_FOLDERS = (".git", ".svn", ".hg", ".venv", "venv", ".vscode", ".idea", "build", "__pycache__", "node_modules")


class Refused(Exception):
    """A submission that cannot be graded; says why, to the instructor and the student."""

    def sentence(self) -> str:
        """With its subject: most reasons name a file, others are of all that was handed in."""
        said = str(self)
        return f"the submission {said}" if said.startswith(("is ", "holds ")) else said


@dataclass(frozen=True)
class Item:
    """One file. `read(limit)` returns its bytes, or raises Refused if there are more than `limit`."""

    path: str  # with /, from the submission's top
    read: Callable[[int], bytes]
    kind: str = "file"  # or "link", "special file", "path out of the archive"

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def shown(name: str, limit: int = 120) -> str:
    """A name that a student chose, safe to print, in quotes where it needs them."""
    return clean(decoded(name), limit).replace("\n", " ").strip() or "(no name)"


def decoded(name: str) -> str:
    """The name of a file whose bytes may be in another encoding than UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name).decode("cp1252", "replace")
    return name


def is_junk(path: str) -> bool:
    """What systems, editors and version control leave behind."""
    *folders, name = path.casefold().split("/")
    left = name.startswith(("._", "~$", ".#")) or name.endswith((".swp", ".swo", "~", ".bak", ".orig"))
    return left or name in _JUNK_NAMES or any(part in (*_JUNK_NAMES, *_JUNK_FOLDERS) for part in folders)


def file_item(path: Path, name: str) -> Item:
    """A file on disk; a link is not followed."""
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        raise Refused(f"{shown(name)}: {error.strerror}") from None
    kind = "file" if stat.S_ISREG(mode) else "link" if stat.S_ISLNK(mode) else "special file"
    return Item(decoded(name), lambda limit: read_file(path, name, limit), kind)


def read_file(path: Path, name: str, limit: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Refused(f"{shown(name)} is not a plain file")
            data = file.read(limit + 1)
    except OSError as error:
        raise Refused(f"{shown(name)}: {error.strerror}") from None
    return within(data, limit, name)


def within(data: bytes, limit: int, name: str) -> bytes:
    if len(data) > limit:
        raise Refused(f"{shown(name)} is larger than {size(limit)}")
    return data


def size(number: int) -> str:
    """Bytes as people write them."""
    for power, unit in ((30, "GB"), (20, "MB"), (10, "kB")):
        if number >= 1 << power:
            value = number / (1 << power)
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return f"{number} bytes"


def folder_items(top: Path) -> list[Item]:
    """All files below a folder, without junk. Links and devices are listed as such and never followed."""
    found: list[Item] = []

    def failed(error: OSError) -> None:
        raise Refused(f"{shown(Path(error.filename or top).name)}: {error.strerror}")

    for folder, folders, names in os.walk(top, onerror=failed):
        at = Path(folder)
        links = [name for name in folders if (at / name).is_symlink()]
        folders[:] = sorted(name for name in folders if name not in links and not is_junk(f"{name}/x"))
        for name in sorted([*names, *links]):
            inside = str((at / name).relative_to(top))
            if not is_junk(inside):
                found.append(file_item(at / name, inside))
        if len(found) > MOST_ITEMS:
            raise Refused(f"holds more than {MOST_ITEMS:,} files")
    return found
