"""The lists of labs in files that are there already: the new lab's line in each, at its number's place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import UsageError
from mistakes.catalog import mistakes_of
from newlab.lab import NewLab
from newlab.marks import MARK

COUNT = re.compile(r"(?<=of the )\d+(?= mistakes)")  # in course/mistakes.md
GALLERY = "course/mistakes.md"


@dataclass(frozen=True)
class List:
    """A list of labs: a table below its head, or lines of their own."""

    file: str
    head: str  # what the line above the first lab's begins with, or the head of the table
    row: re.Pattern[str]  # a lab's line, with its number

    def with_line(self, text: str, number: int, line: str) -> str:
        """The text with the new lab's line. UsageError: the list is not there any more."""
        lines = text.splitlines(keepends=True)
        begin = next((at for at, one in enumerate(lines) if one.startswith(self.head)), None)
        if begin is None:
            raise UsageError(
                f"{self.file}: no line begins with {self.head!r}, above the list of labs; "
                "put the line back, or change newlab/listed.py"
            )
        at = begin + 2 if self.head.startswith("|") else begin + 1
        while at < len(lines) and (found := self.row.match(lines[at])) and int(found[1]) < number:
            at += 1
        return "".join([*lines[:at], line + "\n", *lines[at:]])


CMAKE = List("CMakeLists.txt", "# add_lab skips a lab", re.compile(r"add_lab\(NUMBER (\d+) "))
README = List("README.md", "| # | lab |", re.compile(r"\| (\d+) \|"))
COURSE = List("docs/course.md", "| lab | new idea |", re.compile(r"\| \[(\d+) "))
BEFORE = List("docs/course.md", "| lab | before", re.compile(r"\| (\d+) \|"))


def edits(root: Path, lab: NewLab, aside: Path) -> dict[str, str]:
    """The new texts of the files that change. UsageError: one of them has no such list any more."""
    handout = f"labs/{lab.folder}/README.md"
    ladder = ", ".join(task.name.replace("_", " ") for task in lab.tasks)
    new = (
        (CMAKE, f"add_lab(NUMBER {lab.number} NAME {lab.name} FOLDER {lab.folder})"),
        (README, f"| {lab.number} | [{lab.words}]({handout}) | {ladder} |"),
        (
            COURSE,
            f"| [{lab.number} {lab.words}](../{handout}) | {MARK}: the new idea | what is new in CUDA "
            f"| {len(lab.tasks)} + 0 | 100 | 1, 1 |",
        ),
        (BEFORE, f"| {lab.number} | {MARK}: the labs to do before | what the student can after it | chapters |"),
    )
    texts: dict[str, str] = {}
    for one, line in new:
        text = texts.get(one.file) or _read(root, one.file)
        texts[one.file] = one.with_line(text, lab.number, line)
    more = len(mistakes_of(aside / "labs" / lab.folder))
    texts[GALLERY], counted = COUNT.subn(lambda found: str(int(found[0]) + more), _read(root, GALLERY))
    if counted != 1:
        raise UsageError(f"{GALLERY}: 'of the … mistakes' occurs {counted} times; it must say how many there are, once")
    return texts


def _read(root: Path, name: str) -> str:
    try:
        return (root / name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: cannot be read: {error}") from None
