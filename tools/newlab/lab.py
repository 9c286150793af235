"""A new lab's files, made from templates/: what is written where, nothing of it on disk yet but in a folder aside."""

from __future__ import annotations

import importlib.util
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from answers import code
from answers.questions import Question, questions
from answers.sheets import WIDTH

TEMPLATES = Path(__file__).resolve().parent / "templates"
# Signs that occur in no file of a lab: braces, << and [[ are C++, CUDA and TOML.
TEMPLATE_SIGNS: dict[str, Any] = {
    "variable_start_string": "@{",
    "variable_end_string": "}",
    "block_start_string": "@:",
    "block_end_string": ":@",
    "comment_start_string": "@#",
    "comment_end_string": "#@",
}


@dataclass(frozen=True)
class Task:
    number: int
    name: str
    points: int


@dataclass(frozen=True)
class NewLab:
    """What the author decides: number, name and the names of the tasks."""

    number: int
    name: str
    task_names: tuple[str, ...]

    @property
    def folder(self) -> str:
        return f"{self.number:02}-{self.name}"

    @property
    def words(self) -> str:
        return self.name.replace("_", " ")

    @property
    def title(self) -> str:
        return self.words.capitalize()

    @cached_property
    def tasks(self) -> list[Task]:
        """100 points in all; the last task gets the remainder."""
        count = len(self.task_names)
        points = [100 // count] * (count - 1)
        points.append(100 - sum(points))
        return [Task(at + 1, name, points[at]) for at, name in enumerate(self.task_names)]

    @property
    def figures(self) -> str:
        """The script that draws the handout's pictures."""
        return f"tools/figures/{self.name}.py"

    @property
    def student(self) -> str:
        """The lab's folder for students."""
        return f"labs/{self.folder}"

    @property
    def places(self) -> tuple[str, ...]:
        """What is new in the repository: four folders and a file."""
        rooms = ("solutions", "tests/submissions", "course")
        return self.student, *(f"{room}/{self.folder}" for room in rooms), self.figures


def files(lab: NewLab) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each file with its template and what the template needs besides the lab. The sheets of questions come later."""
    student, solution, submissions, _, _ = lab.places
    for name in ("README.md", "costs.md", "lab.cu", "lab.h"):
        yield f"{student}/{re.sub('^lab', lab.name, name)}", f"lab/{name}", {}
    yield f"{student}/grading/skeleton.cu.txt", "lab/lab.cu", {}
    for name in ("cases.cc", "oracle.cc", "bindings.cc", "lab.toml"):
        yield f"{student}/grading/{name}", f"lab/grading/{name}", {}
    yield f"{student}/grading/{lab.name}_test.cc", "lab/grading/lab_test.cc", {}
    yield f"{solution}/README.md", "solution/README.md", {}
    for name in ("not_started.cc", "right.toml", "right/grid_stride_loop.cu"):
        yield f"{submissions}/{name}", f"submissions/{name}", {}
    for task in lab.tasks:
        mistakes = "first" if task.number == 1 else "further"
        yield f"{solution}/{task.name}.cu", "solution/rung.cu", {"task": task}
        yield f"{submissions}/wrong/{task.name}.toml", f"submissions/wrong/{mistakes}.toml", {"task": task}
    yield lab.figures, "figures.py", {}


def make(lab: NewLab, aside: Path) -> None:
    """Writes the lab's files below `aside`, as they will lie below the repository's root."""
    for name, template, more in files(lab):
        _write(aside / name, _rendered(lab, template, **more))
    _draw(aside / lab.figures, aside / lab.student / "figures")
    asked = questions(aside / lab.student)
    handout = [_quoted(one) for one in asked if "." not in one.key]
    skeleton = [_quoted(one) for one in asked if "." in one.key]
    answers = _rendered(lab, "course/answers.md", handout=handout, skeleton=skeleton)
    exam = _with_code(_rendered(lab, "course/exam.md"), aside / lab.student)
    _write(aside / "course" / lab.folder / "answers.md", answers)
    _write(aside / "course" / lab.folder / "exam.md", exam)


def _rendered(lab: NewLab, template: str, **more: object) -> str:
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, **TEMPLATE_SIGNS)
    values = {name: getattr(lab, name) for name in ("number", "name", "folder", "words", "title", "tasks")}
    text = environment.get_template(f"{template}.jinja").render(**values, first=lab.tasks[0], **more)
    return text.rstrip("\n") + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _quoted(question: Question) -> dict[str, str]:
    lines = textwrap.wrap(question.text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return {"key": question.key, "quoted": "\n".join(f"> {line}" for line in lines)}


def _with_code(exam: str, lab: Path) -> str:
    """The exam with the code of its mistakes."""

    def block(mark: re.Match[str]) -> str:
        begin = mark[0].partition("\n")[0]
        return f"{begin}\n{code.block(lab, mark['kind'], mark['name'])}<!-- end -->"

    return code.MARK.sub(block, exam)


def _draw(script: Path, to: Path) -> None:
    """Runs the lab's script of pictures, as `python -m figures.NAME DIR` does."""
    spec = importlib.util.spec_from_file_location(f"new_figures_{script.stem}", script)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for figure in module.FIGURES:
        figure().write(to / f"{figure.__name__}.svg")
