"""A program in a cage that bubblewrap makes."""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import re
import resource
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from autograder.cage import filter as seccomp
from autograder.cage import tree
from autograder.cage.bubblewrap import HOME, Limits, Room, arguments, bubblewrap
from autograder.cage.caged import END_SECONDS, MB, Caged, Output, popen
from autograder.errors import GraderError
from autograder.sanitize import clean

_SOON = 0.0005
_SIGNALS = 64
_INODE = 1024  # bytes of the kernel's memory that an empty file takes


class InCage(Caged):
    """A program below bubblewrap, whose child is process 1 of a PID namespace; its end ends all others."""

    def __init__(
        self,
        command: Sequence[str],
        room: Room,
        limits: Limits,
        pass_fds: Sequence[int],
        environment: Mapping[str, str],
        output: tuple[Output, Output],
        user_namespace: bool,
    ) -> None:
        super().__init__(limits, pass_fds)
        self._name = command[0]
        self._alone = not room.children
        self._program = 0
        self._killed = False
        self._code: int | None = None
        self._init_fd = -1
        self._told, told = os.pipe()
        go, let_go = os.pipe()
        rules, rules_end = os.pipe()
        os.write(rules_end, seccomp.program(room.children, room.memfd or room.gpu))  # fits into the pipe
        words = [bubblewrap(), *arguments(room, limits, environment, user_namespace)]
        words += ["--json-status-fd", str(told), "--block-fd", str(go), "--seccomp", str(rules), "--", *command]
        os.close(rules_end)
        try:
            self._process = popen(words, (*pass_fds, told, go, rules), {"LANG": "C.UTF-8"}, "/", output)
        except GraderError:
            os.close(self._told)
            os.close(let_go)
            raise
        finally:
            for fd in (told, go, rules):
                os.close(fd)
        try:
            self._init = self._first_process()
            self._init_fd = os.pidfd_open(self._init)
            _limit(self._init, limits)
            os.write(let_go, b"!")
        except OSError:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)
            failure = self._failure()
            self.__exit__(None, None, None)
            raise failure from None
        finally:
            os.close(let_go)

    def _first_process(self) -> int:
        """Process 1, as seen from outside. It waits for a byte before it starts the program."""
        line = b""
        while not line.endswith(b"\n"):
            part = os.read(self._told, 1)
            if not part:
                raise ProcessLookupError
            line += part
        return int(json.loads(line)["child-pid"])

    @property
    def pid(self) -> int:
        end = time.monotonic() + 1.0
        while not self._program and self._process.poll() is None and time.monotonic() < end:
            self._program = next(iter(tree.children(self._init)), 0)
            time.sleep(0 if self._program else _SOON)
        return self._program if self._process.poll() is None else 0

    def kill(self) -> None:
        if self._killed:
            return
        self._killed = True
        if self._init_fd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init_fd, signal.SIGKILL)
            select.select([self._init_fd], [], [], END_SECONDS)  # until all of the namespace has ended
        self._process.kill()
        self._status(self._process.wait())
        for fd in (self._init_fd, self._told):
            if fd >= 0:
                os.close(fd)

    def _status(self, code: int) -> int:
        """Converts bubblewrap's exit status, which is 128 plus the signal, as a shell's is."""
        if self._code is None:
            if self._init_fd >= 0:
                select.select([self._init_fd], [], [], END_SECONDS)  # until all of the namespace has ended
            if b"exit-code" not in os.read(self._told, 4096) and not self._killed:
                raise self._failure()
            self._code = 128 - code if 128 < code <= 128 + _SIGNALS else code
        return self._code

    def _failure(self) -> GraderError:
        """Why bubblewrap ended without starting the program; its message is in the output, if not read yet."""
        pipe = self.stdout if self.stdout is not None and not self.stdout.closed else None
        said = os.read(pipe.fileno(), 4096).decode("utf-8", "replace") if pipe else ""
        why = clean(said, 400).strip() or f"it said nothing, and ended with status {self._process.poll()}"
        return GraderError(f"bubblewrap cannot start {self._name}: {why}")

    def _pids(self) -> list[int]:
        if self._alone:
            return [self.pid] if self.pid else []
        return tree.descendants(self._init, self._limits.processes)

    def _tmp(self) -> int:
        try:
            used = os.statvfs(f"/proc/{self.pid}/root{HOME}")
        except OSError:
            return 0
        return (used.f_blocks - used.f_bfree) * used.f_frsize + (used.f_files - used.f_ffree) * _INODE


def _limit(pid: int, limits: Limits) -> None:
    """The kernel's limits for each process, which its children inherit."""
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: limits.file_mb * MB,
        resource.RLIMIT_NOFILE: limits.open_files,
    }
    if _counted_apart():
        wanted[resource.RLIMIT_NPROC] = limits.processes + 1  # and process 1
    if limits.cpu_seconds is not None:
        wanted[resource.RLIMIT_CPU] = math.ceil(limits.cpu_seconds)
    for which, value in wanted.items():
        hard = resource.prlimit(pid, which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.prlimit(pid, which, (value, value))


def _counted_apart() -> bool:
    """Whether processes are counted per user namespace; before Linux 5.14, all of the user's counted."""
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return found is not None and (int(found[1]), int(found[2])) >= (5, 14)
