"""A submission's file with changes, built once for all its tasks when the first of them needs it."""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cause.change import Change, Changeable
from autograder.errors import GraderError

if TYPE_CHECKING:
    from autograder.cause.causes import Cause
    from autograder.cause.source import Function, Source
    from autograder.cause.widths import Place
    from autograder.judge.outcome import Outcome

HELPERS = Path(__file__).with_name("what_if.h")
TRIES = 6  # compilations; where a change does not compile, its line stays as it is in the next one
WHOLE_FUNCTIONS = 3  # the same of its whole function, from this try on, or if the line alone did not help

Compile = Callable[[bytes, Path], tuple[Path | None, str]]


@dataclass(frozen=True)
class Built:
    """The program, and its changes."""

    runner: Path
    file: Changeable
    lines: Mapping[str, Collection[int]]  # of each task: those of the functions that it reaches
    of_device: Collection[int] = ()  # lines of functions that run only there
    related: Mapping[int, frozenset[int]] = field(default_factory=dict)  # lines that decide what happens in one

    def of(self, task: str) -> list[Change]:
        """The changes that can make a difference to this task."""
        its = self.lines.get(task)
        return [one for one in self.file.changes if its is None or one.line in its]


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

    def paired(self) -> Path | None:
        """The same program, called with two changes at once."""
        built = self.built()
        if built is None:
            return None
        with tempfile.TemporaryDirectory() as folder:
            helpers = Path(folder, HELPERS.name)
            helpers.write_text("#define WHAT_IF_PAIRS\n" + HELPERS.read_text("utf-8"), "utf-8")
            return self._compile(built.file.text, helpers)[0]

    def widened(self, task: str, *, fractions: bool = False) -> Iterator[tuple[Path, int]]:
        """Programs whose sums have 64 bits, or fractions, and the line: 0 for all at once, which comes first."""
        from autograder.cause.widths import narrow_sums

        yield from self._with_types(task, lambda its: narrow_sums(its, fractions=fractions))

    def of_wider_types(self, task: str) -> Iterator[tuple[Path, int]]:
        """The same with wider types in the place of those that have less than 32 bits."""
        from autograder.cause.widths import narrow_types

        yield from self._with_types(task, narrow_types)

    def _with_types(self, task: str, places_of: Callable[[list[Function]], list[Place]]) -> Iterator[tuple[Path, int]]:
        from autograder.cause.source import Source, reached
        from autograder.cause.widths import MOST, widened

        try:
            source = Source(self._source.name, self._source.read_bytes(), partly=True)
            its = reached(source.functions, source.aliases, {task} | source.instantiated(task))
            places = places_of(its)
        except (GraderError, OSError, UnicodeError, RecursionError):
            return
        one_by_one = [[place] for place in places] if 1 < len(places) <= MOST else []
        for chosen in [places, *one_by_one] if places else []:
            runner, _ = self._compile(widened(source.text, chosen), HELPERS)
            if runner is not None:
                yield runner, chosen[0].line if len(chosen) == 1 else 0

    def lines_about(self, shown: Outcome, cause: Cause) -> Collection[int]:
        """The lines that have to do with what a rule proves to be missing: see origins.py."""
        from autograder.cause.origins import lines_about

        return lines_about(self._source, shown, cause)

    def lines_of_unset(self, shown: Outcome) -> Collection[int]:
        """The lines that have to do with what a call reads before it has a value: see origins.py."""
        from autograder.cause.origins import lines_of_unset

        return lines_of_unset(self._source, shown)

    def enlarged(self, task: str, space: str, *, far: bool = False) -> Iterator[tuple[Path, int]]:
        """Programs in which one array of this space is larger, and its line. `far`: as large as can be."""
        from autograder.cause.arrays import arrays_of, as_large_as_can_be, enlarged
        from autograder.cause.source import Source, reached

        try:
            source = Source(self._source.name, self._source.read_bytes(), partly=True)
            found = arrays_of(reached(source.functions, source.aliases, {task} | source.instantiated(task)), space)
        except (GraderError, OSError, UnicodeError, RecursionError):
            return
        for array in found:
            runner, _ = self._compile((as_large_as_can_be if far else enlarged)(source.text, array), HELPERS)
            if runner is not None:
                yield runner, array.line

    def _make(self) -> Built | None:
        # The parser is loaded only where a task has failed.
        from autograder.cause.changes import changeable
        from autograder.cause.related import related_lines
        from autograder.cause.source import Source, reached

        source = Source(self._source.name, self._source.read_bytes(), partly=True)
        begun = [name for name in self._tasks if not _is_todo(source, name)]
        called = _called_from_elsewhere(source)
        of_task = {
            name: reached(source.functions, source.aliases, {name} | source.instantiated(name) | called)
            for name in begun
        }
        reaches = {name: _lines(its) for name, its in of_task.items()}
        functions = [one for one in source.functions if any(one in its for its in of_task.values())]
        on_device = _lines([one for one in functions if not one.on_host])
        stays: set[int] = set()
        for attempt in range(TRIES):
            made = changeable(source.text, functions, begun, stays)
            runner, messages = self._compile(made.text, HELPERS)
            if runner is not None:
                return Built(runner, made, reaches, on_device, related_lines(source.functions))
            lines = lines_of_errors(messages, self._source.name)
            if lines <= stays or attempt >= WHOLE_FUNCTIONS:  # as it is, the line does compile
                kept = [one for one in functions if not lines & _lines([one])]
                if len(kept) == len(functions):
                    return None
                functions = kept
            stays |= lines
        return None


def lines_of_errors(messages: str, name: str) -> set[int]:
    """The lines of the file of this name that do not compile.

    An error in a header is told of the line where the file instantiates it: the first one of the list that follows.
    """
    its = re.escape(name)
    found: set[int] = set()
    for error in re.split(r"^(?=\S+\(\d+\): )", messages, flags=re.MULTILINE):  # of one place each
        place = re.match(rf"\S*?{its}\((\d+)\): error", error)
        if place is None and re.match(r"\S+\(\d+\): error", error):
            place = re.search(rf"at line (\d+) of \S*{its}\b", error)
        if place:
            found.add(int(place[1]))
    return found or {int(line) for line in re.findall(rf"{its}[(:](\d+)", messages)}


def _lines(functions: Sequence[Function]) -> set[int]:
    return {line for one in functions for line in range(one.node.start_point.row + 1, one.node.end_point.row + 2)}


def _called_from_elsewhere(source: Source) -> set[str]:
    """Device functions that no other function of the file names: a header of the lab calls them."""
    from autograder.cause.source import names_in

    named = [(one, names_in(one.node.child_by_field_name("body") or one.node)) for one in source.functions]
    return {
        one.name
        for one in source.functions
        if one.name
        and "__device__" in one.head
        and not any(one.name in names for other, names in named if other.name != one.name)
    }


def _is_todo(source: Source, task: str) -> bool:
    """Whether the task's function still says that it is not started."""
    return any(
        re.search(r"^\s*todo\(", source.text[one.node.start_byte : one.node.end_byte].decode(), re.MULTILINE)
        for one in source.functions
        if one.name == task and one.on_host and not one.owner
    )
