"""A process and all its descendants: which they are, and how much memory they hold together."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

Inode = tuple[int, int]  # device, number

_KB = re.compile(rb"^(Pss|Pss_Shmem|RssAnon|RssFile|VmPTE):\s+(\d+) kB$", re.MULTILINE)


def children(pid: int) -> list[int]:
    """The oldest first; none if the process has ended."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            found += [int(child) for child in _read(f"/proc/{pid}/task/{task}/children").split()]
    return sorted(found) if len(found) > 1 else found


def descendants(pid: int, at_most: int) -> list[int]:
    """All descendants of `pid`. Stops soon after `at_most`: a fork bomb grows faster than it can be counted."""
    found = children(pid)
    for one in found:  # grows during the loop
        if len(found) > at_most:
            break
        found += children(one)
    return found


def threads(pids: Sequence[int]) -> int:
    """The number of threads of all the processes."""
    total = 0
    for pid in pids:
        with contextlib.suppress(IndexError, ValueError):
            total += int(_read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[17])
    return total


def waited(pid: int) -> float:
    """Seconds that the process's first thread was ready to run while others had the processors; 0 if unknown."""
    with contextlib.suppress(IndexError, ValueError):
        return int(_read(f"/proc/{pid}/schedstat").split()[1]) * 1e-9
    return 0.0


def work(pids: Sequence[int]) -> tuple[bool, int]:
    """Whether a process computes, could compute or waits for a disk; and ticks of processor time of all so far."""
    is_busy, ticks = False, 0
    for pid in pids:
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        with contextlib.suppress(IndexError, ValueError):
            is_busy |= fields[0] in (b"R", b"D")
            ticks += sum(map(int, fields[11:15]))  # with those of children that have ended
    return is_busy, ticks


def resident(pids: Sequence[int]) -> int:
    """Bytes without shared memory: quick to ask, and never less than `proportional`."""
    return sum(_resident(_values(f"/proc/{pid}/status")) for pid in pids)


def _resident(status: Mapping[bytes, int]) -> int:
    return status.get(b"RssAnon", 0) + status.get(b"RssFile", 0) + _tables(status)


def _tables(status: Mapping[bytes, int]) -> int:
    """Bytes of page tables: a page for every 2 MB of addresses that were read, even if no memory is behind them."""
    return status.get(b"VmPTE", 0)


def proportional(pids: Sequence[int]) -> int:
    """Bytes without shared memory, in which each page counts by its share (PSS)."""
    total = 0
    for pid in pids:
        values, status = _values(f"/proc/{pid}/smaps_rollup"), _values(f"/proc/{pid}/status")
        own = values[b"Pss"] - values.get(b"Pss_Shmem", 0) + _tables(status) if b"Pss" in values else _resident(status)
        total += own
    return total


def shared_memory(pids: Sequence[int], without: Collection[Inode]) -> int:
    """Bytes of the anonymous files (memfd, shared mappings) that the processes hold, mapped or not.

    A file that is only mapped counts with the size of the mapping, where only root may ask how large it really is.
    """
    held: dict[int, int] = {}
    exact: dict[int, int] = {}
    for pid in pids:
        mapped: dict[int, int] = {}
        for place, inode, size in _shared_mappings(pid):
            mapped[inode] = mapped.get(inode, 0) + size
            exact |= _blocks(f"/proc/{pid}/map_files/{place}")
        for inode, size in mapped.items():
            held[inode] = max(held.get(inode, 0), size)
        with contextlib.suppress(OSError):
            for fd in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
                exact |= _blocks(f"/proc/{pid}/fd/{fd}")
    held |= exact
    return sum(size for inode, size in held.items() if (_device(), inode) not in without)


def _shared_mappings(pid: int) -> Iterator[tuple[str, int, int]]:
    """Place, inode and size of each mapping of an anonymous file."""
    device = f"{os.major(_device()):02x}:{os.minor(_device()):02x}".encode()
    for line in _read(f"/proc/{pid}/maps").splitlines():
        if device in line:
            place, _, _, where, inode, *_ = line.split()
            if where == device:
                begin, _, end = place.partition(b"-")
                yield place.decode(), int(inode), int(end, 16) - int(begin, 16)


def _blocks(path: str) -> dict[int, int]:
    """Inode and bytes of an anonymous file, if they can be read."""
    try:
        file = os.stat(path)  # noqa: PTH116
    except OSError:
        return {}
    return {file.st_ino: file.st_blocks * 512} if file.st_dev == _device() else {}


@cache
def _device() -> int:
    """The device number on which the kernel keeps anonymous files."""
    fd = os.memfd_create("device")
    try:
        return os.fstat(fd).st_dev
    finally:
        os.close(fd)


def marked(mark: str, session: int) -> list[int]:
    """All processes of a session, and all that were started with `mark` in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            fields = _read(f"{entry}/stat").rpartition(b")")[2].split()
            ended = not fields or fields[0] in (b"Z", b"X")
            if not ended and (int(fields[3]) == session or mark.encode() in _read(f"{entry}/environ").split(b"\0")):
                found.append(int(entry.name))
    return found


def _values(path: str) -> dict[bytes, int]:
    """What is wanted of the lines `name: number kB` of a file in /proc, in bytes."""
    return {name: int(value) * 1024 for name, value in _KB.findall(_read(path))}


def _read(path: str) -> bytes:
    """The file's bytes; nothing if the process has ended meanwhile."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return b""
