"""What a caged process sees and may use, as arguments for bubblewrap."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HOME = "/tmp"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_GPU_DEVICES = ("nvidia[0-9]*", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset", "nvidia-caps", "dxg")
_ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")
_REPOSITORY = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Room:
    """What a caged process sees of the machine, apart from /usr."""

    read: tuple[Path, ...] = ()  # files and folders, read-only, at their own paths
    write: tuple[Path, ...] = ()  # folders, at their own paths
    gpu: bool = False
    children: bool = False  # may it start other programs? Otherwise threads only
    memfd: bool = False  # may it make anonymous files? With a GPU it may: the driver makes some


@dataclass(frozen=True)
class Limits:
    """Limits of all processes of a cage together; file_mb, open_files and cpu_seconds are limits of each."""

    memory_mb: float
    processes: int = 64  # threads included
    file_mb: int = 1024
    open_files: int = 256
    tmp_mb: int = 256
    cpu_seconds: float | None = None


def bubblewrap() -> str:
    """The path of bubblewrap, or ""."""
    return shutil.which("bwrap") or ""


def arguments(room: Room, limits: Limits, environment: Mapping[str, str], user_namespace: bool) -> list[str]:
    """Bubblewrap's arguments, without descriptors and command."""
    user = ["--unshare-user", "--uid", "65534", "--gid", "65534"] if user_namespace else []
    names = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    life = ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "cage", "--clearenv"]
    for name, value in environment.items():
        life += ["--setenv", name, value]
    size = ["--size", str(limits.tmp_mb << 20)] if _has_size() else []  # without it, the watch counts /tmp
    return [
        *user, *names, *life, *_system(), *_devices(room.gpu), *_proc(), *size, "--tmpfs", HOME,
        *_own(room), "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", HOME,
    ]  # fmt: skip


@cache
def _system() -> list[str]:
    """Libraries, compilers, and the files of /etc that the loader and the compilers' names need."""
    found = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        path = Path(name)
        if path.is_symlink():
            found += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            found += ["--ro-bind", name, name]
    for name in _ETC:
        found += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return found


def _devices(gpu: bool) -> list[str]:
    nodes = [Path("/dev") / name for name in _DEVICES]
    found = ["--tmpfs", "/dev", "--symlink", HOME, "/dev/shm"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        found += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    found += ["--symlink", "/proc/self/fd", "/dev/fd"]
    if gpu:
        nodes += sorted(path for pattern in _GPU_DEVICES for path in Path("/dev").glob(pattern))
        found += ["--ro-bind", "/sys", "/sys"]
    for node in nodes:
        found += ["--dev-bind", str(node), str(node)]
    return found


@cache
def _proc() -> list[str]:
    """A new /proc shows the cage's processes only, without bubblewrap's own: a program could write into its memory.

    Root owns the machine's settings there, even without privileges.
    """
    found = ["--proc", "/proc", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]
    if os.geteuid() == 0:
        for entry in sorted(Path("/proc").iterdir()):
            of_process = entry.name.isdigit() or entry.is_symlink()
            if not of_process and (entry.is_dir() or entry.stat().st_mode & 0o222):
                found += ["--ro-bind", str(entry), str(entry)]
    return found


def _own(room: Room) -> list[str]:
    """A folder comes before what is in it, so that the more specific entry holds.

    Where the repository lies in a folder that the cage has anyway, an empty read-only folder hides it first.
    """
    wanted = dict.fromkeys((Path(os.path.abspath(path)) for path in room.read), "--ro-bind")  # noqa: PTH100
    wanted |= dict.fromkeys((Path(os.path.abspath(path)) for path in room.write), "--bind")  # noqa: PTH100
    hidden = any(_REPOSITORY.is_relative_to(folder) for folder in ("/usr", HOME))
    found = ["--tmpfs", str(_REPOSITORY)] if hidden else []
    for path in sorted(wanted, key=lambda path: len(path.parts)):
        if wanted[path] == "--bind" or not path.is_relative_to("/usr") or path.is_relative_to(_REPOSITORY):
            found += [wanted[path], str(path), str(path)]
    return [*found, "--remount-ro", str(_REPOSITORY)] if hidden else found


@cache
def _has_size() -> bool:
    """Whether bubblewrap can limit /tmp: from 0.7 on."""
    done = subprocess.run([bubblewrap(), "--help"], capture_output=True, timeout=10, check=False)
    return b"--size" in done.stdout + done.stderr
