"""A submission's file with changes, built once for all its tasks when the first of them needs it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cause.change import Changeable
from autograder.errors import GraderError

if TYPE_CHECKING:
    from autograder.cause.source import Source

HELPERS = Path(__file__).with_name("what_if.h")
TRIES = 4  # compilations; where a change does not compile, its line stays as it is in the next one

Compile = Callable[[bytes, Path], tuple[Path | None, str]]


@dataclass(frozen=True)
class Built:
    """The program, and its changes."""

    runner: Path
    file: Changeable


class Program:
    """Used from several threads."""

    def __init__(self, source: Path, tasks: Sequence[str], compile_: Compile) -> None:
        self._source = source
        self._tasks = tasks
        self._compile = compile_
        self._lock = threading.Lock()
        self._made: Built | None = None
        self._tried = False

    @property
    def source(self) -> Path:
        return self._source

    @property
    def name(self) -> str:
        return self._source.name

    def built(self) -> Built | None:
        """None: the file cannot be read as a tree, or does not compile with changes."""
        with self._lock:
            if not self._tried:
                self._tried = True
                try:
                    self._made = self._make()
                except (GraderError, OSError, UnicodeError, RecursionError):
                    self._made = None
            return self._made

    def _make(self) -> Built | None:
        # The parser is loaded only where a task has failed.
        from autograder.cause.changes import changeable
        from autograder.cause.source import Source, reached

        source = Source(self._source.name, self._source.read_bytes())
        begun = [name for name in self._tasks if not _is_todo(source, name)]
        names = set(begun).union(*(source.instantiated(name) for name in begun))
        functions = reached(source.functions, source.aliases, names)
        stays: set[int] = set()
        for _ in range(TRIES):
            made = changeable(source.text, functions, begun, stays)
            runner, messages = self._compile(made.text, HELPERS)
            if runner is not None:
                return Built(runner, made)
            lines = {int(line) for line in re.findall(rf"{re.escape(self._source.name)}[(:](\d+)", messages)}
            if lines <= stays:
                return None
            stays |= lines
        return None


def _is_todo(source: Source, task: str) -> bool:
    """Whether the task's function still says that it is not started."""
    return any(
        re.search(r"^\s*todo\(", source.text[one.node.start_byte : one.node.end_byte].decode(), re.MULTILINE)
        for one in source.functions
        if one.name == task and one.on_host and not one.owner
    )
