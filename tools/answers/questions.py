"""What a lab asks: the handout's list of questions, and the questions in the skeleton's comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase

COMMENT = re.compile(r"//(?!/)\s?(?P<line>.*)$|/\*(?P<block>.*?)\*/")
NUMBERED = re.compile(r"(?P<number>\d+\.\d+)\s+(?P<text>\S.*)")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
TASK = re.compile(r"-{4} Task (\d+), ")


@dataclass(frozen=True)
class Question:
    """key: "3", a question of the handout; "1.2" or, where the skeleton gives no number, "1.a"."""

    key: str
    text: str
    where: str


def questions(lab: Path) -> list[Question]:
    """All questions of a lab, in the order in which a reader meets them: the handout's, then the skeleton's."""
    handout = lab / "README.md"
    found = list(_of_handout(handout.read_text("utf-8"), f"labs/{lab.name}/README.md"))
    for path in sorted(lab.glob("*.cu")):
        found += _of_skeleton(path.read_text("utf-8"), f"labs/{lab.name}/{path.name}")
    return found


def _of_handout(text: str, where: str) -> Iterator[Question]:
    section = re.search(r"^## Questions\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section is None:
        return
    for item in re.finditer(r"^(\d+)\. (.*?)(?=^\d+\. |\Z)", section[1], re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, section.start(1) + item.start()) + 1
        words = LINK.sub(r"\1", item[2])  # the sheets lie in another folder
        yield Question(item[1], " ".join(words.split()), f"{where}:{line}")


def _of_skeleton(text: str, where: str) -> Iterator[Question]:
    task, unnumbered, last = "0", 0, ""
    pending: Question | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if found := TASK.search(line):
            task, unnumbered = found[1], 0
        for comment in COMMENT.finditer(line):
            words = (comment["line"] or comment["block"] or "").strip().removeprefix("not right yet: ")
            if TASK.search(words):
                continue
            numbered = NUMBERED.match(words)
            goes_on = pending and line.strip().startswith("//") and comment["line"].startswith("     ")
            if numbered is None and goes_on and pending:
                pending = Question(pending.key, f"{pending.text} {words}", pending.where)
                continue
            if pending:
                yield pending
                pending = None
            if numbered:
                pending = Question(numbered["number"], numbered["text"].strip(), f"{where}:{number}")
            elif "?" in words and words != last:
                pending = Question(f"{task}.{ascii_lowercase[unnumbered]}", words, f"{where}:{number}")
                unnumbered += 1
            last = words
    if pending:
        yield pending
