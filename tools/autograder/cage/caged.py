"""A running untrusted program: its state, its resource use, and how to end it with all its children."""

from __future__ import annotations

import contextlib
import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import IO, Self

from autograder.cage import tree
from autograder.cage.bubblewrap import Limits
from autograder.errors import GraderError

Output = int | IO[bytes] | None
MB = 1 << 20
END_SECONDS = 5.0  # for the kernel to end killed processes; a GPU's driver may take long


class Caged(ABC):
    """A program that was started. kill() it on every path, or use it in a `with`."""

    _process: subprocess.Popen[bytes]

    def __init__(self, limits: Limits, pass_fds: Sequence[int]) -> None:
        self._limits = limits
        self._passed = {(file.st_dev, file.st_ino) for file in map(os.fstat, pass_fds)}

    @property
    @abstractmethod
    def pid(self) -> int:
        """The program's process number, as seen from outside; 0 if it has ended."""

    @property
    def stdout(self) -> IO[bytes] | None:
        """The pipe with the output, if one was asked for."""
        return self._process.stdout

    def poll(self) -> int | None:
        """The exit status, or minus the signal that ended it; None while it runs."""
        code = self._process.poll()
        return None if code is None else self._status(code)

    def wait(self, seconds: float) -> int:
        """Waits, then returns the same as poll(). Raises subprocess.TimeoutExpired."""
        return self._status(self._process.wait(seconds))

    def signal(self, number: int) -> None:
        """Sends a signal to the program alone."""
        pid = self.pid
        if pid and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    @abstractmethod
    def kill(self) -> None:
        """Ends all processes and removes the private folder. May be called again."""

    def memory_mb(self) -> float:
        """Memory of all processes, anonymous files and /tmp. Shared pages count once, files passed in do not."""
        pids = self._pids()
        return (tree.proportional(pids) + tree.shared_memory(pids, self._passed) + self._tmp()) / MB

    def waited(self) -> float:
        """Seconds so far that the program was ready to run while others had the processors."""
        return tree.waited(self.pid)

    def work(self) -> tuple[bool, int]:
        """Whether any process is at work, and the processor time so far: see tree.work()."""
        return tree.work(self._pids())

    def excess(self) -> str:
        """The limit that is exceeded, as a sentence without its full stop, or "". Call it often."""
        pids = self._pids()
        if tree.threads(pids) > self._limits.processes:
            return f"the process started more than {self._limits.processes} processes and threads"
        at_most = tree.resident(pids) + tree.shared_memory(pids, self._passed) + self._tmp()
        if at_most > self._limits.memory_mb * MB and self.memory_mb() > self._limits.memory_mb:
            return f"the process used more than {self._limits.memory_mb:,.0f} MB of memory"
        return ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()
        if self.stdout is not None:
            self.stdout.close()

    @abstractmethod
    def _pids(self) -> list[int]:
        """The numbers of all processes."""

    @abstractmethod
    def _tmp(self) -> int:
        """Bytes of memory used by its private files."""

    def _status(self, code: int) -> int:
        return code


def popen(
    words: list[str],
    fds: Sequence[int],
    environment: Mapping[str, str],
    folder: str,
    output: tuple[Output, Output],
    user: int | None = None,
    before: Callable[[], None] | None = None,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output[0],
            stderr=output[1],
            pass_fds=fds,
            start_new_session=True,
            cwd=folder,
            env=environment,
            user=user,
            group=user,
            extra_groups=[] if user is not None else None,
            preexec_fn=before,
        )
    except OSError as error:
        raise GraderError(f"{words[0]} cannot be started: {error.strerror}") from None
