"""Starts an untrusted program: in a cage made by bubblewrap, or with the best protection that is possible without one.

A caged program sees the system's libraries and what its Room names, read-only unless the Room says otherwise, and a
small /tmp of its own. It has no network, no privileges, no environment and no descriptors but those it is given. It
does not see other processes, and all that it starts ends with it.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from functools import cache

from autograder.cage import filter as seccomp
from autograder.cage.bubblewrap import HOME, Limits, Room, bubblewrap
from autograder.cage.caged import Caged, Output
from autograder.cage.inside import InCage
from autograder.cage.outside import Uncaged
from autograder.errors import GraderError

__all__ = ["Caged", "Limits", "Room", "start", "unavailable"]

_PATH = "/usr/local/bin:/usr/bin:/bin"
_INSTALL = "apt install bubblewrap"
_trying = threading.Lock()


def unavailable() -> str:
    """Why no cage can be made here, and what to do about it; "" if one can. Tried once."""
    with _trying:
        return _tried()[1]


def start(
    command: Sequence[str],
    room: Room,
    limits: Limits,
    *,
    pass_fds: Sequence[int] = (),
    environment: Mapping[str, str] | None = None,
    stdout: Output = subprocess.PIPE,
    stderr: Output = subprocess.STDOUT,
    caged: bool = True,
) -> Caged:
    """Starts `command` (a path in its room) in an empty folder; it dies with the thread that has called.

    Raises GraderError if that fails: here, or when its status is asked for.
    """
    variables = {"PATH": _PATH, "LANG": "C.UTF-8", **(environment or {})}
    if not caged:
        return Uncaged(command, limits, pass_fds, variables, (stdout, stderr), room)
    with _trying:
        user_namespace, why = _tried()
    if why:
        raise GraderError(f"no sandbox: {why}")
    variables |= {"HOME": HOME, "TMPDIR": HOME}
    return InCage(command, room, limits, pass_fds, variables, (stdout, stderr), user_namespace)


@cache
def _tried() -> tuple[bool, str]:
    """Whether a user namespace is needed, and why no cage can be made. Root does not need one."""
    if not bubblewrap():
        return False, f"bubblewrap is not installed: {_INSTALL}"
    if not seccomp.supported():
        return False, f"there is no filter of system calls for the processor {os.uname().machine}"
    output = (subprocess.PIPE, subprocess.STDOUT)
    why = ""
    for user_namespace in (True, False) if os.geteuid() == 0 else (True,):
        try:
            with InCage(["/bin/true"], Room(), Limits(1024), (), {}, output, user_namespace) as caged:
                status = caged.wait(10.0)
        except GraderError as error:
            why = why or _reason(str(error).partition("bwrap: ")[2])
        except subprocess.TimeoutExpired:
            why = why or "bubblewrap is installed, but it does not start a program within 10 s"
        else:
            if status == 0:
                return user_namespace, ""
            why = why or f"bubblewrap is installed, but a program in it ends with status {status}"
    return False, why


def _reason(said: str) -> str:
    """The reason in bubblewrap's message, in plain words."""
    if "mount proc" in said:
        what = "/proc cannot be mounted here, as in many containers"
    elif any(word in said for word in ("namespace", "uid map", "RTM_", "pivot_root", "mount")):
        what = "this machine or container does not allow user namespaces"
    else:
        what = "it cannot make a sandbox here"
    return f"bubblewrap is installed, but {what} (bwrap: {said})"
