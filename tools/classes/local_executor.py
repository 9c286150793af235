"""Grades on this machine, n files at a time."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from classes.executor import Ended, Task
from classes.process import Process

_POLL = 0.02


class LocalExecutor:
    """An Executor. `scratch` is its own: what a killed run has left there goes."""

    def __init__(self, slots: int, scratch: Path) -> None:
        self.slots = slots
        self.where = f"{slots} at a time" if slots > 1 else "one at a time"
        self._scratch = scratch
        self._running: list[Process] = []
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(mode=0o700)

    def start(self, task: Task) -> None:
        self._running.append(Process(task, self._scratch))

    def wait(self, seconds: float) -> list[Ended]:
        end = time.monotonic() + seconds
        while True:
            found = []
            for one in list(self._running):
                if (ended := one.ended()) is not None:
                    self._running.remove(one)
                    found.append(ended)
            if found or time.monotonic() > end:
                return found
            time.sleep(_POLL)

    def close(self) -> None:
        for one in self._running:
            one.close()
        shutil.rmtree(self._scratch, ignore_errors=True)
