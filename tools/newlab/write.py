"""Puts a new lab into the repository: all of it or nothing, and nothing that is there is overwritten."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from autograder.errors import UsageError
from autograder.files import write_whole
from newlab.lab import NewLab, make
from newlab.listed import edits


def add(root: Path, lab: NewLab) -> list[str]:
    """Makes the lab. Gives the names of the files that were changed; UsageError: why nothing was."""
    for place in lab.places:
        if (root / place).exists():
            raise UsageError(f"{place} is there already; nothing was changed")
    try:
        (root / "build").mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="new-lab-", dir=root / "build") as folder:
            aside = Path(folder)
            make(lab, aside)
            changed = edits(root, lab, aside)
            put(root, aside, lab.places, changed)
    except OSError as error:
        raise UsageError(f"{error.filename or root}: {error.strerror or error}; nothing was changed") from None
    return sorted(changed)


def put(root: Path, aside: Path, places: Sequence[str], changed: Mapping[str, str]) -> None:
    """Moves `places` from `aside` and writes the changed files. Whatever stops it, what was done is undone."""
    undo: list[Callable[[], object]] = []
    with not_interrupted():
        try:
            for place in places:
                _move(aside / place, root / place)
                undo.append(lambda to=root / place: _remove(to))  # type: ignore[misc]
            for name, text in changed.items():
                path = root / name
                before = path.read_bytes()
                write_whole(path, text.encode("utf-8"))
                undo.append(lambda path=path, before=before: write_whole(path, before))  # type: ignore[misc]
        except BaseException:
            for step in reversed(undo):
                step()
            raise


def _move(source: Path, to: Path) -> None:
    """OSError, if something is there."""
    if source.is_dir():
        to.mkdir()  # fails where there is one, even an empty one
        source.rename(to)  # replaces the empty folder
    else:
        to.hardlink_to(source)


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def not_interrupted() -> Iterator[None]:
    """^C waits until the lab is whole."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
