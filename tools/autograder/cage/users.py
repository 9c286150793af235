"""A user for each program, where root may not make a cage, as in a container of Gradescope.

CUDA_LABS_OWN_USERS=1 asks for it. A user number without an account is enough: such a process cannot read or write what
belongs to root, and cannot trace, stop or end another user's process. Unlike in a cage, it has a network and sees
everything that all users may read.
"""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
from collections.abc import Iterable
from pathlib import Path

_FIRST, _MANY = 30000, 30000  # below 65534, the largest that a container may know


def wanted() -> bool:
    return os.environ.get("CUDA_LABS_OWN_USERS") == "1" and os.geteuid() == 0


def another() -> int | None:
    """A user number that no process has at present; None if all programs run as the grader's user."""
    if not wanted():
        return None
    taken = {_user_of(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    return next(user for user in iter(lambda: _FIRST + secrets.randbelow(_MANY), None) if user not in taken)


def give(folders: Iterable[Path], user: int | None) -> None:
    """Gives these folders and their contents to the user."""
    _own(folders, user)


def take_back(folders: Iterable[Path], user: int | None) -> None:
    """Takes them back, after the user's last process has ended."""
    _own(folders, None if user is None else os.geteuid())


def _own(folders: Iterable[Path], user: int | None) -> None:
    if user is None:
        return
    for folder in folders:
        for at, names, files in os.walk(folder):  # which follows no links
            for path in (at, *(os.path.join(at, name) for name in (*names, *files))):  # noqa: PTH118
                with contextlib.suppress(FileNotFoundError):
                    os.chown(path, user, user, follow_symlinks=False)


def limit(pid: int, user: int | None, processes: int) -> None:
    """Limits the user's processes and threads, which stops a fork bomb."""
    if user is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            resource.prlimit(pid, resource.RLIMIT_NPROC, (processes, processes))


def processes(user: int | None) -> list[int]:
    """All processes of the user."""
    if user is None:
        return []
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _runs_as(entry, user)]


def _runs_as(entry: Path, user: int) -> bool:
    with contextlib.suppress(OSError):
        state = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:1]
        return _user_of(int(entry.name)) == user and state not in ([b"Z"], [b"X"])
    return False


def _user_of(pid: int) -> int:
    """The process's user; -1 if the process has ended."""
    with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{pid}/status", "rb") as file:  # noqa: PTH123
        for line in file:
            if line.startswith(b"Uid:"):
                return int(line.split()[1])
    return -1
