"""The sheets of a lab, checked and renewed: course/NN-name/answers.md and exam.md."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from answers import code
from answers.calls import FigureError, Lab
from answers.figures import figures, written
from answers.questions import Question, questions

ANSWERS, EXAM = "answers.md", "exam.md"
WIDTH = 118
HEADING = re.compile(r"^### (\d+(?:\.[0-9a-z]+)?)\n(?P<quote>(?:\n?(?:>.*\n)+)?)", re.MULTILINE)
TASK = re.compile(
    r"^## (?P<number>\d+)\. (?P<title>.+)\n\n"
    r"\*(?P<kind>[^·*]+) · (?P<minutes>\d+) minutes · (?P<points>\d+) points\*\n",
    re.MULTILINE,
)
KINDS = ("A mistake", "Predict a counter", "Compare two tasks")
LEAST, MOST = 4, 6


@dataclass(frozen=True)
class Problem:
    """What is wrong at one line of a sheet."""

    path: Path
    line: int
    what: str

    def told(self, root: Path) -> str:
        return f"{self.path.relative_to(root)}:{self.line}: {self.what}"


def sheets(root: Path, lab: Path) -> tuple[Path, Path]:
    folder = root / "course" / lab.name
    return folder / ANSWERS, folder / EXAM


def check_figures(path: Path, lab: Lab) -> Iterator[Problem]:
    """Each figure beside what a run gives."""
    for one in figures(path.read_text("utf-8"), lab):
        if one.error:
            yield Problem(path, one.line, one.error)
        elif not one.is_right:
            yield Problem(
                path, one.line, f"expected {one.expected}, found {one.found}: {' '.join(one.formula.split())}"
            )


def check_answers(path: Path, lab: Path) -> Iterator[Problem]:
    """Every question has its answer, word for word below it, and every answer its question, in the same order."""
    text = path.read_text("utf-8")
    asked = {one.key: one for one in questions(lab)}
    found = list(HEADING.finditer(text))
    for at, heading in enumerate(found):
        line = text.count("\n", 0, heading.start()) + 1
        key = heading[1]
        if key not in asked:
            yield Problem(path, line, f"there is no question {key} (any more)")
            continue
        if _words(heading["quote"]) != asked[key].text:
            yield Problem(path, line, f"question {key} ({asked[key].where}) is now: {asked[key].text}")
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        if not re.sub(r"^## .*", "", text[heading.end() : end], flags=re.MULTILINE).strip():
            yield Problem(path, line, f"question {key} has no answer")
    keys = [heading[1] for heading in found]
    for key, question in asked.items():
        if keys.count(key) != 1:
            yield Problem(path, 1, f"question {key} has {keys.count(key)} answers ({question.where}): {question.text}")
    if [key for key in asked if key in keys] != [key for key in keys if key in asked]:
        yield Problem(path, 1, "the answers are not in the order of the questions")


def check_exam(path: Path, lab: Path) -> Iterator[Problem]:
    """Form of the tasks; and the code in them is that of the mistakes."""
    text = path.read_text("utf-8")
    tasks = list(TASK.finditer(text))
    headings = re.findall(r"^## .*", text, re.MULTILINE)
    if not LEAST <= len(tasks) <= MOST or len(headings) != len(tasks):
        yield Problem(path, 1, f"{len(tasks)} tasks and {len(headings)} headings: {LEAST} to {MOST} are wanted")
    for at, task in enumerate(tasks):
        line = text.count("\n", 0, task.start()) + 1
        body = text[task.end() : tasks[at + 1].start() if at + 1 < len(tasks) else len(text)]
        if int(task["number"]) != at + 1 or task["kind"] not in KINDS:
            yield Problem(path, line, f"task {at + 1}, one of the kinds {', '.join(KINDS)}, is wanted here")
        answer = body.partition("\n### Answer\n")[2]
        if not answer.strip() or "**Full points:**" not in answer:
            yield Problem(path, line, f"task {at + 1} lacks '### Answer', or what it takes for '**Full points:**'")
        if task["kind"] == KINDS[0] and not {"code", "mend"} <= {one["kind"] for one in code.MARK.finditer(body)}:
            yield Problem(path, line, f"task {at + 1} shows no mistake: <!-- code: NAME -->, and mend in the answer")
    for kind in KINDS:
        if kind not in [task["kind"] for task in tasks]:
            yield Problem(path, 1, f"no task of the kind {kind!r}")
    for mark in code.MARK.finditer(text):
        line = text.count("\n", 0, mark.start()) + 1
        try:
            if mark["body"] != code.block(lab, mark["kind"], mark["name"]):
                yield Problem(path, line, f"the code of {mark['name']} is not that of the mistake any more")
        except FigureError as error:
            yield Problem(path, line, str(error))


def problems(root: Path, lab: Lab) -> Iterator[Problem]:
    """All that is wrong in a lab's two sheets."""
    for path, check in zip(sheets(root, lab.folder), (check_answers, check_exam), strict=True):
        if not path.is_file():
            yield Problem(path, 1, "there is no such file")
            continue
        yield from check(path, lab.folder)
        yield from check_figures(path, lab)


def as_they_are(text: str, lab: Path) -> str:
    """A sheet with questions and code as handout, skeleton and mistakes have them now."""
    asked = {one.key: one for one in questions(lab)}
    return code.MARK.sub(_renewed(lab), HEADING.sub(lambda found: _quoted(found, asked), text))


def renew(path: Path, lab: Lab) -> bool:
    """Renews figures, quoted questions and code. True: the sheet has changed."""
    before = path.read_text("utf-8")
    text = as_they_are(before, lab.folder)
    text = written(text, list(figures(text, lab)))
    if text != before:
        path.write_text(text, "utf-8")
    return text != before


def without_answers(text: str) -> str:
    """The exam as students get it: no answers, and no marks."""
    parts = re.split(r"(?=^## )", text, flags=re.MULTILINE)
    shown = "".join(part.partition("\n### Answer\n")[0].rstrip() + "\n\n" for part in parts)
    shown = re.sub(r"<!--.*?-->\n?", "", shown, flags=re.DOTALL)
    return re.sub(r"^For instructors\..*\n", "", shown, flags=re.MULTILINE).rstrip() + "\n"


def _quoted(found: re.Match[str], asked: dict[str, Question]) -> str:
    if found[1] not in asked:
        return found[0]
    lines = textwrap.wrap(asked[found[1]].text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"### {found[1]}\n\n" + "".join(f"> {line}\n" for line in lines)


def _words(quote: str) -> str:
    return " ".join(" ".join(line.removeprefix(">") for line in quote.splitlines()).split())


def _renewed(lab: Path) -> Callable[[re.Match[str]], str]:
    def renewed(mark: re.Match[str]) -> str:
        try:
            body = code.block(lab, mark["kind"], mark["name"])
        except FigureError:
            body = mark["body"]
        return f"<!-- {mark['kind']}: {mark['name']} -->\n{body}<!-- end -->"

    return renewed
