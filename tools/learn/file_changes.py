"""Tells when a file has been saved: in place, by a rename as most editors do, or after it was away."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from watchfiles import watch

Signature = tuple[int, int, int]

SETTLES_MS, STEP_MS = 60, 15  # a save is several events: wait for a pause of STEP_MS, SETTLES_MS at most
LOOKS_MS = 500  # if no events come, as over a network, the file is looked at anyway


def signature(file: Path) -> Signature | None:
    """A value that changes with each save, even of the same text; None if there is no file."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


class Changes:
    """Calls `saved` from a thread, with whether the file is there."""

    def __init__(self, file: Path, saved: Callable[[bool], None]) -> None:
        self._file = file
        self._saved = saved
        self._seen = signature(file)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Changes:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(2.0)

    def _watch(self) -> None:
        folder = self._file.resolve().parent  # the folder: a rename would take a watched file away
        while not self._end.is_set():
            try:
                for _ in watch(
                    folder,
                    watch_filter=None,
                    debounce=SETTLES_MS,
                    step=STEP_MS,
                    rust_timeout=LOOKS_MS,
                    yield_on_timeout=True,
                    stop_event=self._end,
                    recursive=False,
                    raise_interrupt=False,
                ):
                    self._look()
            except (OSError, RuntimeError):  # the folder is away, or there are too many watchers
                self._look()
                self._end.wait(LOOKS_MS / 1000)

    def _look(self) -> None:
        now = signature(self._file)
        if now != self._seen:
            self._seen = now
            self._saved(now is not None)
