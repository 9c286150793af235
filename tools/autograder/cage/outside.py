"""A program without a cage, with the protection that is possible without bubblewrap."""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from autograder.cage import filter as seccomp
from autograder.cage import tree, users
from autograder.cage.bubblewrap import Limits, Room
from autograder.cage.caged import END_SECONDS, MB, Caged, Output, popen
from autograder.errors import GraderError

_LIMITED = 'ulimit -c 0; ulimit -f "$1"; ulimit -n "$2"; ulimit -t "$3"; shift 3; exec "$@"'


class Uncaged(Caged):
    """A program in its own process group and folder. What leaves the group is found by a mark in its environment.

    Root can give each program a user of its own as well: see users.py.
    """

    def __init__(
        self,
        command: Sequence[str],
        limits: Limits,
        pass_fds: Sequence[int],
        environment: Mapping[str, str],
        output: tuple[Output, Output],
        room: Room,
    ) -> None:
        super().__init__(limits, pass_fds)
        self._user = users.another()
        self._write = room.write
        self._killed = False
        self._folder = tempfile.TemporaryDirectory(prefix="cuda-labs-", ignore_cleanup_errors=True)
        self._mark = f"CUDA_LABS_CAGE={secrets.token_hex(16)}"
        name, _, value = self._mark.partition("=")
        own = {"HOME": self._folder.name, "TMPDIR": self._folder.name, name: value}
        try:
            if shutil.which(command[0]) is None:
                raise GraderError(f"{command[0]} cannot be started: there is no such program")
            words = ["/bin/sh", "-c", _LIMITED, "sh", *map(str, _shell_limits(limits)), *command]
            users.give((Path(self._folder.name), *room.write), self._user)
            variables, before = {**environment, **own}, _filter(room)
            self._process = popen(words, pass_fds, variables, self._folder.name, output, self._user, before)
            users.limit(self._process.pid, self._user, limits.processes)
        except GraderError:
            self._folder.cleanup()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid if self._process.poll() is None else 0

    def kill(self) -> None:
        if self._killed:
            return
        self._killed = True
        end = time.monotonic() + END_SECONDS
        mine = self._pids() + self._left()
        while mine and time.monotonic() < end:  # what they have started meanwhile comes next
            for pid in mine:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            mine = self._left()
        self._process.wait()
        users.take_back(self._write, self._user)
        self._folder.cleanup()

    def _left(self) -> list[int]:
        """Processes that have left the process group, found by their mark and by their user."""
        return tree.marked(self._mark, self._process.pid) + users.processes(self._user)

    def _pids(self) -> list[int]:
        pid = self.pid
        return [pid, *tree.descendants(pid, self._limits.processes)] if pid else []

    def _tmp(self) -> int:
        return 0  # it is on a disk


def _filter(room: Room) -> Callable[[], None] | None:
    """What a program in a cage may not do is refused here as well, so that it gets the same verdict."""
    if room.children or not seccomp.supported():
        return None
    return seccomp.installer(seccomp.program(room.children, room.memfd or room.gpu))


def _shell_limits(limits: Limits) -> tuple[int | str, ...]:
    """The arguments of _LIMITED; a file's size is in blocks of 512 bytes."""
    seconds = "unlimited" if limits.cpu_seconds is None else math.ceil(limits.cpu_seconds)
    return limits.file_mb * MB // 512, limits.open_files, seconds
