"""Who may use the device: several tasks that are checked, or one that is timed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class Turns:
    """A task is timed only while no other task is checked, because other work would be noise in its times.

    Used from several threads, none of which may have two turns at once.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._checked = 0
        self._timed = False

    @contextlib.contextmanager
    def to_check(self) -> Iterator[None]:
        """A turn beside other tasks that are checked."""
        with self._changed:
            self._changed.wait_for(lambda: not self._timed)
            self._checked += 1
        try:
            yield
        finally:
            with self._changed:
                self._checked -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def to_time(self) -> Iterator[None]:
        """A turn alone."""
        with self._changed:
            self._changed.wait_for(lambda: not self._timed and self._checked == 0)
            self._timed = True
        try:
            yield
        finally:
            with self._changed:
                self._timed = False
                self._changed.notify_all()
