"""Builds a changed copy of a file that has been built already, to try something out with it."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.build.builder import Builder, link_steps

# The host's code need not be fast, and warnings are for people.
_LEFT_OUT = ("-g", "-Xcompiler=-Wall,-Wextra")
IN_USE = 600.0  # seconds after it was made or asked for, in which a program is not deleted
_ADDED = ("-w", "-Xcompiler=-O0", "--Ofast-compile=min")


def variant(
    builder: Builder, number: int, name: str, text: bytes, before: Path, headers: Sequence[Path] | None = None
) -> tuple[Path | None, str]:
    """The runner with `text` in place of the lab's file, or None; and the compiler's messages.

    `before`: a header that is included first. `headers`: of a partial file, those that lie beside it. The rules for
    what a file may include and link are not asked again: the text holds nothing that the file does not.
    """
    commands = builder.commands(number)
    if headers is not None:
        commands = msgspec.structs.replace(commands, link=[*commands.link, *commands.not_started])
    kept = builder.made / "tried"
    kept.mkdir(parents=True, exist_ok=True)
    parts = [text, *(path.read_bytes() for path in (before, *(headers or []))), repr(commands).encode()]
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:24]
    runner = kept / f"lab{number}-{key}"
    if runner.exists():
        runner.touch()
        return runner, ""
    folder = Path(tempfile.mkdtemp(prefix=".making-", dir=kept))
    try:
        source, first = folder / name, folder / before.name
        source.write_bytes(text)
        for header in headers or []:
            (folder / header.name).write_bytes(header.read_bytes())
        first.write_bytes(before.read_bytes())
        values = {
            "@SOURCE@": str(source),
            "@OBJECT@": str(folder / "made.o"),
            "@DEVICE_LINKED@": str(folder / "device.o"),
            "@EXECUTABLE@": str(folder / "made"),
        }
        compile_ = [word for word in commands.compile if word not in _LEFT_OUT]
        compile_ = [*compile_[:1], *_ADDED, "-include", str(first), *compile_[1:]]
        place = builder.workplace(commands)
        for command in (compile_, *link_steps(commands)):
            code, output = place.run([values.get(word, word) for word in command], folder)
            if code:
                return None, output
        (folder / "made").rename(runner)
        forget(kept)
        return runner, ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def forget(kept: Path, most: int = 24) -> None:
    """Deletes the oldest, but none that another grader may be about to start."""
    ages = []
    for one in kept.glob("lab*"):
        with contextlib.suppress(FileNotFoundError):  # another grader deletes, too
            ages.append((time.time() - one.stat().st_mtime, one))
    for age, old in sorted(ages)[most:]:
        if age > IN_USE:
            old.unlink(missing_ok=True)
