"""Builds a mutant: the files of the solution in a folder of their own, one of them changed, one compiled."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.build.builder import LabCommands, link_steps
from autograder.build.compilation import COMPILE_SECONDS
from autograder.errors import GraderError

_PTX = b"\n.version "
_NOISE = re.compile(r"^\s*(\.loc\b|\.file\b|//)|^\s*$|^\$L__(tmp|func_begin|func_end)\w*:")


@dataclass
class Built:
    """An object file, and its PTX without the lines that only name the source."""

    folder: tempfile.TemporaryDirectory[str]
    object: Path
    ptx: str


class Workshop:
    """Builds files of one lab."""

    def __init__(self, commands: LabCommands, folder: Path) -> None:
        self._commands = commands
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        # PTX is all that the virtual GPU reads; warnings are for people.
        machine = re.compile(r"--generate-code=.*code=(?!compute_)")
        self._compile = [word for word in commands.compile if word != "-g" and not machine.match(word)] + ["-w"]

    def compile(self, unit: str, texts: dict[str, bytes]) -> Built | None:
        """None: it does not compile. `texts`: all files of the solution."""
        folder = tempfile.TemporaryDirectory(prefix="mutant-", dir=self._folder)
        where = Path(folder.name)
        for name, text in texts.items():
            (where / name).write_bytes(text)
        values = {"@SOURCE@": str(where / unit), "@OBJECT@": str(where / "made.o")}
        if not _run([values.get(word, word) for word in self._compile]):
            folder.cleanup()
            return None
        return Built(folder, where / "made.o", normalised(ptx_in((where / "made.o").read_bytes())))

    def link(self, built: Built, others: Sequence[Path] = ()) -> Path | None:
        """The runner. `others`: object files of rungs that this one calls; the rest is not started."""
        folder = Path(built.folder.name)
        runner = folder / "runner"
        values = {
            "@OBJECT@": [str(built.object), *map(str, others)],
            "@DEVICE_LINKED@": [str(folder / "device.o")],
            "@EXECUTABLE@": [str(runner)],
        }
        for command in link_steps(self._commands):
            words = [word for part in command for word in values.get(part, [part])]
            if not _run(words + (self._commands.not_started if command is self._commands.link else [])):
                return None
        return runner


def _run(command: list[str]) -> bool:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMPILE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    except OSError as error:
        raise GraderError(f"{command[0]}: {error.strerror}") from None
    return done.returncode == 0


def ptx_in(object_file: bytes) -> str:
    """The PTX texts in an object file of nvcc --no-compress."""
    texts, at = [], object_file.find(_PTX)
    while at >= 0:
        end = object_file.find(b"\0", at)
        texts.append(object_file[at : end if end >= 0 else None].decode("utf-8", "replace"))
        at = object_file.find(_PTX, at + 1)
    return "\n".join(texts)


def normalised(ptx: str) -> str:
    """Without lines of the source, and without the names that nvcc makes from the file's path."""
    ptx = re.sub(r"(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}_\d+_\w+?_cu_[0-9a-f]{8}(_\d+)?", r"\1unit", ptx)
    ptx = re.split(r"^\s*\.section", ptx, maxsplit=1, flags=re.MULTILINE)[0]
    return "\n".join(line for line in ptx.splitlines() if not _NOISE.match(line))
