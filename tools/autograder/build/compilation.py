"""Runs the compiler on an untrusted file: in a cage, with limits on time and resources."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from autograder.cage.cage import Caged, Limits, Room, start

COMPILE_SECONDS = 180.0
IDLE_SECONDS = 10.0  # a compiler that only waits for so long would wait for ever: what it reads has no end
OBJECT_MB = 256
LIMITS = Limits(memory_mb=4096, processes=128, file_mb=OBJECT_MB, open_files=1024, tmp_mb=2048)
_KEPT = 1 << 20  # bytes of its messages
_PRINTED_MB = 64
_POLL = 0.1
_TOO_LARGE = re.compile(r"File size limit exceeded|File too large|[Ss]ignal 25\b")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_HEADERS = (".h", ".cuh", ".hpp", ".inl")


@dataclass(frozen=True)
class Workplace:
    """The parts of the machine that the compilers of one lab need."""

    root: Path  # of the repository; compilers see only its headers
    tools: tuple[str, ...]
    headers: tuple[Path, ...]
    caged: bool = True

    def run(self, command: Sequence[str], folder: Path, seconds: float = COMPILE_SECONDS) -> tuple[int, str]:
        """Returns exit status and messages. The command can read the files that it names; new files go to `folder`."""
        made = {after for word, after in pairwise(command) if word == "-o"}
        named = {Path(word) for word in command if word.startswith("/") and word not in made and Path(word).is_file()}
        tools = [Path(found).resolve() for found in map(shutil.which, self.tools) if found]
        room = Room(
            read=(*self.headers, *(self._installed(tool) for tool in tools), *sorted(named)),
            write=(folder,),
            children=True,
            memfd=True,
        )
        path = ":".join(dict.fromkeys([*(str(tool.parent) for tool in tools), "/usr/local/bin:/usr/bin:/bin"]))
        environment = {"PATH": path}
        if "NVCC_CCBIN" in os.environ:
            environment["NVCC_CCBIN"] = os.environ["NVCC_CCBIN"]
        with start(command, room, LIMITS, environment=environment, caged=self.caged) as compiler:
            return _watched(compiler, seconds)

    def _installed(self, tool: Path) -> Path:
        """The folder that holds all of a toolkit, but never the repository."""
        folder = tool.parent.parent if tool.parent.name == "bin" else tool.parent
        return tool if self.root.is_relative_to(folder) else folder


def tools_of(commands: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The compilers in the commands, and the host compiler, which nvcc looks for."""
    named = [command[0] for command in commands if command]
    return tuple(dict.fromkeys([*named, os.environ.get("NVCC_CCBIN", ""), "g++"]))


def headers_of(root: Path, folder: str, command: Sequence[str]) -> tuple[Path, ...]:
    """What a submission may include: the toolbox's headers and the lab's, what these include, and foreign folders."""
    lab = root / "labs" / folder
    paths = [Path(word.removeprefix("-I")) for word in command if word.startswith("-I/")]
    found = [file for at in (root / "common/toolbox", lab) for file in sorted(at.glob("*")) if file.suffix in _HEADERS]
    found += [file for file in (lab / "grading" / "instantiations.h",) if file.is_file()]
    for file in found:  # grows during the loop
        for name in _INCLUDE.findall(file.read_text("utf-8", "replace")):
            there = next((at / name for at in (file.parent, *paths) if (at / name).is_file()), None)
            if there is not None and there not in found:
                found.append(there)
    return (*found, *(path for path in paths if not path.is_relative_to(root)))


def _watched(compiler: Caged, seconds: float) -> tuple[int, str]:
    """Waits for the end. If a limit is exceeded, its sentence replaces the messages."""
    assert compiler.stdout is not None
    pipe = compiler.stdout.fileno()
    text = bytearray()
    printed = 0
    end = time.monotonic() + seconds
    check = 0.0
    worked, ticks = time.monotonic(), 0
    while True:
        if time.monotonic() > end:
            return 1, f"error: the compiler took more than {seconds:g} s"
        if time.monotonic() > check:
            excess = compiler.excess()
            if excess:
                return 1, f"error: {excess.replace('the process', 'the compiler', 1)}"
            is_busy, now = compiler.work()
            if is_busy or now != ticks:
                worked, ticks = time.monotonic(), now
            if time.monotonic() > worked + IDLE_SECONDS:
                return 1, f"error: the compiler waited for {IDLE_SECONDS:g} s without doing anything"
            check = time.monotonic() + _POLL
        if not select.select([pipe], [], [], _POLL)[0]:
            continue
        data = os.read(pipe, 1 << 16)
        if not data:
            break
        text += data[: _KEPT - len(text)]
        printed += len(data)
        if printed > _PRINTED_MB << 20:
            return 1, f"error: the compiler printed more than {_PRINTED_MB} MB of messages"
    try:
        code = compiler.wait(max(end - time.monotonic(), 1.0))
    except subprocess.TimeoutExpired:
        return 1, f"error: the compiler took more than {seconds:g} s"
    told = text.decode("utf-8", "replace")
    if code and _TOO_LARGE.search(told):
        return 1, f"error: the compiled program is larger than {OBJECT_MB} MB"
    return code, told
