"""The process that grades one file, on any machine. It ends after its time limit, or with its parent process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Literal

from autograder.cage import tree
from classes.executor import MOST_RESULT, SOURCE, Ended, Task

FOLDER = "@FOLDER@"  # in a task's variables, the folder of its own
_LOOK = 0.5
_MOST_PROCESSES = 300
_MOST_ERRORS = 1 << 16
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def die_with_parent() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """Grades a task in a folder of its own below `scratch`, which is gone when it has ended."""

    def __init__(self, task: Task, scratch: Path | None = None) -> None:
        self.task = task
        self._start = time.monotonic()
        self._memory, self._looked = 0, 0.0
        self.folder = Path(tempfile.mkdtemp(prefix="cuda-labs-", dir=scratch))
        own = task.variables.items()
        try:
            self._source = self.folder / "handed-in" / task.file
            self._source.parent.mkdir()
            self._source.write_bytes(task.data)
            # Files without a name, not pipes: nobody has to read while the process writes.
            self._output = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115
            self._errors = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115
            self._process = subprocess.Popen(
                [word.replace(SOURCE, str(self._source)) for word in task.words],
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._errors,
                env=os.environ | {name: text.replace(FOLDER, str(self.folder)) for name, text in own},
                start_new_session=True,  # ^C is for us
                preexec_fn=die_with_parent,
            )
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def ended(self) -> Ended | None:
        """The task's end; None while it runs."""
        status = self._process.poll()
        if status is None and time.monotonic() - self._start <= self.task.seconds:
            self._look()
            return None
        self._end()  # or what it has left behind
        self._output.seek(0)
        self._errors.seek(0)
        # The student must not read the names of our folders.
        output = self._output.read(MOST_RESULT + 1).replace(str(self._source).encode(), self.task.file.encode())
        errors = self._errors.read(_MOST_ERRORS).decode("utf-8", "replace")
        code: int | Literal["time"] = "time" if status is None else status
        self.close()
        seconds = round(time.monotonic() - self._start, 3)
        return Ended(self.task.digest, code, output, errors, seconds, self._memory)

    def close(self) -> None:
        self._end()
        self._output.close()
        self._errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _look(self) -> None:
        """Looks at the memory of all its processes now and then, compiler and device included."""
        now = time.monotonic()
        if now - self._looked > _LOOK:
            self._looked = now
            pids = [self._process.pid, *tree.descendants(self._process.pid, _MOST_PROCESSES)]
            self._memory = max(self._memory, tree.proportional(pids) + tree.shared_memory(pids, ()))
