"""Puts a new lab into the repository: all of it or nothing, and nothing that is there is overwritten."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
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
    """Copies `places` from `aside` and writes the changed files. Whatever stops it, what was done is undone."""
    with not_interrupted(), ExitStack() as undo:
        for place in places:
            _copy(aside / place, root / place, undo)
        for name, text in changed.items():
            before = (root / name).read_bytes()
            write_whole(root / name, text.encode("utf-8"))
            undo.callback(write_whole, root / name, before)
        undo.pop_all()


def _copy(source: Path, to: Path, undo: ExitStack) -> None:
    """OSError, if something is there, even an empty folder."""
    if source.is_dir():
        to.mkdir()
        undo.callback(shutil.rmtree, to)
        shutil.copytree(source, to, dirs_exist_ok=True)
    else:
        to.touch(exist_ok=False)
        undo.callback(to.unlink)
        shutil.copyfile(source, to)


@contextmanager
def not_interrupted() -> Iterator[None]:
    """^C waits until the lab is whole."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
