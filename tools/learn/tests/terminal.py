"""A program in a terminal of its own: what it shows, the keys it is sent."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A pseudo-terminal of 40 lines."""

    def __init__(self, command: Sequence[str], cwd: Path, columns: int = 120) -> None:
        self.fd, other = pty.openpty()
        self.resize(columns)
        self.text = ""
        inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", *command],
            stdin=other,
            stdout=other,
            stderr=other,
            cwd=cwd,
            env=inherited | {"TERM": "xterm", "NO_COLOR": ""},
        )
        self.settings = termios.tcgetattr(other)
        self._other = other

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.press("q")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        self.process.kill()
        self.process.wait()
        os.close(self.fd)
        os.close(self._other)

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def press(self, key: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self.fd, key.encode())

    def wait(self, wanted: str, seconds: float = 10.0) -> str:
        """Until the screen shows it; returns the screen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.02)[0]:
                with contextlib.suppress(OSError):
                    self.text += os.read(self.fd, 65536).decode("utf-8", "replace")
            elif re.search(wanted, self.screen()):
                return self.screen()
        raise AssertionError(f"{wanted!r} is not on the screen:\n{self.screen()}")

    def screen(self) -> str:
        drawn = self.text.split("\x1b[H\x1b[2J")[-1]
        return ESCAPES.sub("", re.sub(r"[^\n]*\r\x1b\[K", "", drawn))

    def is_as_before(self) -> bool:
        return termios.tcgetattr(self._other) == self.settings
