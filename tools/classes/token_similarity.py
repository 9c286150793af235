"""Compares files by similarity-tester's sim_c++, a Debian package: token by token, ignoring names.

It is a C program that reads untrusted files, so it runs in a cage, on files of bounded size, with a time limit.
Lines of the skeleton are blanked first, so that the others keep their numbers.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.cage.cage import Limits, Room, start, unavailable
from autograder.errors import GraderError, UsageError

TOOL = "sim_c++"
RUN = 24  # tokens: the shortest stretch that counts; two to three lines
BLOCK = 48  # files that are compared at once
MOST_BYTES = 100_000  # of a file; ten times what the longest solution has
LEAST_WORDS = 40  # of a file, without the skeleton: less says nothing
MOST_REPEATED = 1_000_000  # sum of squares of how often each stretch occurs in a file; the tool takes as long
_SECONDS = 20.0  # for one block
_LIMITS = Limits(memory_mb=2048, processes=4, file_mb=64, tmp_mb=16)
_PERCENT = re.compile(rb"^(?:\S*/)?(\d+)\.cu consists for (\d+) % of (?:\S*/)?(\d+)\.cu material", re.MULTILINE)
_SIDE = r"(?:\S*/)?(\d+)\.cu: line (\d+)-(\d+)"
_RUN = re.compile(rf"^{_SIDE}\s*\|{_SIDE}\s*\[\d+\]".encode(), re.MULTILINE)


@dataclass(frozen=True)
class Pair:
    """Two files by their names, and how much of each is in the other, in %."""

    one: str
    other: str
    of_one: int
    of_other: int

    @property
    def share(self) -> int:
        return max(self.of_one, self.of_other)


@dataclass
class Likeness:
    """The outcome; `left_out` says why files were not compared."""

    pairs: list[Pair] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def tool() -> str:
    """The tool's path. Raises UsageError, with the command that installs it."""
    found = shutil.which(TOOL)
    if not found:
        raise UsageError(f"{TOOL} is not installed: sudo apt install similarity-tester")
    why = unavailable()
    if why:
        raise UsageError(f"{TOOL} reads files of people whom nobody trusts, and needs a sandbox: {why}")
    return found


def without_skeleton(text: str, skeleton: str) -> str:
    """Lines that everybody was given are blank; all others stay where they are."""
    given = {_bare(line) for line in skeleton.splitlines()} - {"", "{", "}", "};"}
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join("" if _bare(line) in given or line.lstrip().startswith("#include") else line for line in lines)


def _bare(line: str) -> str:
    return re.sub(r"\s+", "", line.partition("//")[0])


def compare(texts: Mapping[str, str], least: int, seconds: float, others: Collection[str] = ()) -> Likeness:
    """All pairs of which at least `least` % of one is in the other. `texts`: by name, without the skeleton.

    `others`: files that are not compared with each other.
    """
    program = tool()
    found = Likeness()
    names = []
    for name, text in sorted(texts.items(), key=lambda pair: pair[0] in others):
        why = _unfit(text)
        if why:
            found.left_out[name] = why
        else:
            names.append(name)
    with tempfile.TemporaryDirectory(prefix="likeness-") as made:
        folder = Path(made)
        for number, name in enumerate(names):
            (folder / f"{number}.cu").write_text(texts[name], "utf-8", "replace")
        compared = _Comparison(program, folder, least, time.monotonic() + seconds)
        blocks = [range(at, min(at + BLOCK, len(names))) for at in range(0, len(names), BLOCK)]
        for number, block in enumerate(blocks):
            for other in blocks[number:] if names[block[0]] not in others else ():
                compared.blocks(list(block), [] if other == block else list(other))
    for (first, second), (of_one, of_other) in sorted(compared.shares.items()):
        if max(of_one, of_other) >= least and not (names[first] in others and names[second] in others):
            found.pairs.append(Pair(names[first], names[second], of_one, of_other))
    found.pairs.sort(key=lambda pair: (-pair.share, pair.one, pair.other))
    for failed in compared.failed:
        found.left_out[names[failed]] = "comparing it takes too long"
    return found


def _unfit(text: str) -> str:
    """Why a file is not compared, or ""."""
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        return f"longer than {MOST_BYTES // 1000} kB"
    words = ["a" if word[0].isalnum() or word[0] == "_" else word for word in re.findall(r"\w+|[^\w\s]", _code(text))]
    if words.count("a") < LEAST_WORDS:
        return f"too short to say anything (less than {LEAST_WORDS} names and numbers)"
    often = Counter(tuple(words[at : at + RUN]) for at in range(len(words)))
    return "repeats itself over and over" if sum(n * n for n in often.values()) > MOST_REPEATED else ""


def _code(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", "", text, flags=re.DOTALL)


class _Comparison:
    """Runs the tool over blocks of numbered files."""

    def __init__(self, program: str, folder: Path, least: int, end: float) -> None:
        self._program, self._folder, self._least, self._end = program, folder, least, end
        self.shares: dict[tuple[int, int], tuple[int, int]] = {}
        self.failed: set[int] = set()

    def blocks(self, some: list[int], others: list[int]) -> None:
        """Compares each of `some` with each of `others`; without `others`, with each other."""
        some, others = ([one for one in block if one not in self.failed] for block in (some, others))
        if not some or (not others and len(some) < 2):
            return
        if time.monotonic() > self._end:
            raise UsageError("comparing the files takes longer than --limit seconds; nothing was written")
        turns = [(some, others), (others, some)] if others else [(some, [])]
        outputs = [self._run(*turn) for turn in turns]
        if None in outputs:
            self._halves(some, others)
            return
        for output in outputs:
            for one, percent, other in _PERCENT.findall(output or b""):
                self._note(int(one), int(other), min(int(percent), 100))

    def _note(self, one: int, other: int, percent: int) -> None:
        key = (min(one, other), max(one, other))
        before = self.shares.get(key, (0, 0))
        self.shares[key] = (max(before[0], percent), before[1]) if one < other else (before[0], max(before[1], percent))

    def _halves(self, some: list[int], others: list[int]) -> None:
        """Splits a block that took too long, until the file that caused it is found."""
        if len(some) + len(others) <= 2:
            self.failed.add(max((*some, *others), key=self._size))
            return
        parts = [(block[: (len(block) + 1) // 2], block[(len(block) + 1) // 2 :]) for block in (some, others)]
        if not others:
            self.blocks(parts[0][0], [])
            self.blocks(parts[0][1], [])
            self.blocks(*parts[0])
            return
        for one in parts[0]:
            for other in parts[1]:
                if one and other:
                    self.blocks(one, other)

    def _size(self, number: int) -> int:
        return (self._folder / f"{number}.cu").stat().st_size

    def _run(self, new: Sequence[int], old: Sequence[int]) -> bytes | None:
        """The tool's output; None if it exceeded a limit."""
        # -p: percentages, -e: each file with each, -T: short, -S: new files with old ones only
        words = ["-p", "-e", "-T", "-r", str(RUN), "-t", str(max(1, self._least // 2)), *(["-S"] if old else ["-a"])]
        files = [str(self._folder / f"{number}.cu") for number in new]
        files += ["/", *(str(self._folder / f"{number}.cu") for number in old)] if old else []
        return caged_output([self._program, *words, *files], self._folder, min(_SECONDS, self._end - time.monotonic()))


def caged_output(command: Sequence[str], folder: Path, seconds: float) -> bytes | None:
    """The output of a program that sees only this folder; None if it exceeded a limit."""
    end = time.monotonic() + seconds
    with tempfile.TemporaryFile() as output:
        room = Room(read=(folder,))
        with start(command, room, _LIMITS, stdout=output, stderr=subprocess.DEVNULL) as process:
            while (status := process.poll()) is None:
                if time.monotonic() > end or process.excess():
                    return None
                time.sleep(0.01)
        if status < 0 or os.fstat(output.fileno()).st_size >= _LIMITS.file_mb << 20:
            return None
        if status:
            raise GraderError(f"{TOOL} ended with status {status}")
        output.seek(0)
        return output.read()


def alike_lines(one: str, other: str) -> tuple[set[int], set[int]]:
    """The lines of two texts that are alike, from 1."""
    with tempfile.TemporaryDirectory(prefix="likeness-") as made:
        folder = Path(made)
        for number, text in enumerate((one, other)):
            (folder / f"{number}.cu").write_text(text, "utf-8", "replace")
        command = [tool(), "-n", "-T", "-S", "-r", str(RUN), str(folder / "0.cu"), "/", str(folder / "1.cu")]
        output = caged_output(command, folder, _SECONDS) or b""
    lines: tuple[set[int], set[int]] = (set(), set())
    for found in _RUN.findall(output):
        for file, first, last in (found[:3], found[3:]):
            lines[int(file)].update(range(int(first), int(last) + 1))
    return lines
