"""Single keys from a terminal, without the wait for Enter; none where there is no keyboard."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

_SEQUENCE = re.compile(r"\x1b[\[O][0-9;?<]*[@-~]")  # an arrow, a function key, the mouse


@contextlib.contextmanager
def keys(pressed: Callable[[str], None], redraw: Callable[[], None]) -> Iterator[bool]:
    """Calls `pressed` from a thread for each key, with "" at the end of the input, as when the terminal is closed.

    Calls `redraw` when the terminal has a new size, or is ours again after ^Z. Yields whether there is a keyboard. On
    every way out, the terminal is restored.
    """
    before = _settings()
    if before is None:
        with _on(signal.SIGWINCH, redraw):
            yield False
        return
    fd, stopped = sys.stdin.fileno(), threading.Event()

    def back() -> None:
        with contextlib.suppress(termios.error):
            tty.setcbreak(fd)
        redraw()

    with _on(signal.SIGWINCH, redraw), _on(signal.SIGCONT, back):
        tty.setcbreak(fd)
        reader = threading.Thread(target=_read, args=(fd, stopped, pressed), daemon=True)
        reader.start()
        try:
            yield True
        finally:
            stopped.set()
            reader.join(1.0)
            with contextlib.suppress(termios.error):
                termios.tcsetattr(fd, termios.TCSANOW, before)


def _settings() -> list[Any] | None:
    """The terminal's, if standard input is one that this process may read."""
    try:
        fd = sys.stdin.fileno()
        if not os.isatty(fd) or os.tcgetpgrp(fd) != os.getpgrp():  # reading would stop a job in the background
            return None
        return termios.tcgetattr(fd)
    except (OSError, ValueError, AttributeError, termios.error):
        return None


def _read(fd: int, stopped: threading.Event, pressed: Callable[[str], None]) -> None:
    while not stopped.is_set():
        try:
            if not select.select([fd], [], [], 0.1)[0]:
                continue
            data = os.read(fd, 64)
        except OSError:
            data = b""
        if not data:
            pressed("")
            return
        for key in _SEQUENCE.sub("", data.decode("utf-8", "ignore")):
            pressed(key)


@contextlib.contextmanager
def _on(number: int, call: Callable[[], None]) -> Iterator[None]:
    def handler(_number: int, _frame: FrameType | None) -> None:
        call()

    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
