"""tools/author new-lab NAME: makes a lab that builds, grades and passes the checks; what is left to do says FILL IN.

tools/author new-lab transpose                     labs/13-transpose with all that belongs to it, with one task
tools/author new-lab transpose --tasks naive,tiled
git grep "FILL IN"                          the places that are still to be filled in
"""

from __future__ import annotations

import argparse
import keyword
import re
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from answers import sheets
from autograder.errors import GraderError, UsageError
from autograder.plan.labs import folders
from mistakes.catalog import mistakes_of

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = Path(__file__).resolve().parent / "templates"
MARK = "FILL IN"
LONGEST = 24  # characters of a name: lines of the templates stay within the columns of a page
GALLERY, COUNT = "course/mistakes.md", re.compile(r"(?<=of the )\d+(?= mistakes)")
# Signs that occur in no file of a lab: braces, << and [[ are C++, CUDA and TOML.
JINJA = Environment(
    loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, variable_start_string="@{",
    variable_end_string="}", block_start_string="@:", block_end_string=":@", comment_start_string="@#",
    comment_end_string="#@",
)  # fmt: skip


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
    def tasks(self) -> list[Task]:
        """100 points in all; the last task gets the remainder."""
        each = 100 // len(self.task_names)
        points = [each] * (len(self.task_names) - 1)
        return [Task(*one) for one in zip(range(1, 99), self.task_names, [*points, 100 - sum(points)], strict=False)]


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Exit status: 0 made, 2 refused."""
    parser = argparse.ArgumentParser(
        prog="tools/author new-lab", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", help="of the lab, in small letters: prefix_max")
    parser.add_argument("--number", type=int, help="default: the next")
    parser.add_argument("--tasks", default="naive", help="their names, from the first to the last; default: naive")
    options = parser.parse_args(arguments)
    try:
        there = folders(root)
        number = options.number if options.number is not None else max(there, default=0) + 1
        lab = NewLab(number, options.name, tuple(word.strip() for word in options.tasks.split(",")))
        check(lab, there)
        made = add(root, lab)
    except (UsageError, GraderError, OSError) as error:
        print(f"new-lab: {error}", file=sys.stderr)
        return 2
    left = sum(MARK in line for path in made for line in path.read_text("utf-8").splitlines())
    print(f"""  Lab {number} works: it doubles every number of an array. git status shows its files. Try it:
    make lab{number} && ./grader {number}
    make solution{number} && ./grader {number} --solution

  Then make it yours. {left} lines say {MARK}; make test fails until none is left. How: docs/adding-a-lab.md""")
    return 0


def check(lab: NewLab, there: dict[int, Path]) -> None:
    """UsageError: a name or the number cannot be. What else a name may clash with, the compiler says."""
    for name in (lab.name, *lab.task_names):
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > LONGEST or keyword.iskeyword(name):
            raise UsageError(
                f"{name!r}: small letters, digits and single underscores, at most {LONGEST}, such as prefix_max"
            )
    if len(set(lab.task_names)) < len(lab.task_names):
        raise UsageError("two tasks have the same name")
    if lab.name in (path.name[3:] for path in there.values()):
        raise UsageError(f"there is a lab {lab.name} already; choose another name")
    if lab.number in there or not 1 <= lab.number <= 99:
        raise UsageError(f"{lab.number}: a lab's number is 1 to 99, and one that is free")


def add(root: Path, lab: NewLab) -> list[Path]:
    """Writes the lab, and its line into the lists of labs. UsageError, before anything is written: why it cannot."""
    texts = {root / name: text for name, text in files(lab).items()}
    for path in texts:
        if path.exists():
            raise UsageError(f"{path.relative_to(root)} is there already; nothing was changed")
    lists = listed(root, lab)
    for path, text in (texts | lists).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    folder = root / "labs" / lab.folder
    for path in sheets.sheets(root, folder):
        path.write_text(sheets.as_they_are(path.read_text("utf-8"), folder), "utf-8")
    gallery, more = root / GALLERY, len(mistakes_of(folder))
    gallery.write_text(COUNT.sub(lambda found: str(int(found[0]) + more), gallery.read_text("utf-8")), "utf-8")
    for place, figures in runpy.run_path(str(root / f"tools/figures/{lab.name}.py"))["FIGURES"].items():
        for figure in figures:
            figure().write(root / place / f"{figure.__name__}.svg")
    return [*texts, *lists]


def files(lab: NewLab) -> dict[str, str]:
    """The lab's files by their paths: those of the templates, with FOLDER, NAME and TASK in them replaced."""
    made = {}
    words = lab.name.replace("_", " ")
    values = {"number": lab.number, "name": lab.name, "folder": lab.folder, "words": words, "title": words.capitalize()}
    for template in JINJA.list_templates():
        for task in lab.tasks if "TASK" in template else lab.tasks[:1]:
            path = template.removesuffix(".jinja").replace("FOLDER", lab.folder).replace("NAME", lab.name)
            text = JINJA.get_template(template).render(**values, tasks=lab.tasks, first=lab.tasks[0], task=task)
            made[path.replace("TASK", task.name)] = text.rstrip("\n") + "\n"
    skeleton = made[f"labs/{lab.folder}/{lab.name}.cu"]
    return made | {f"labs/{lab.folder}/grading/skeleton.cu.txt": skeleton}


def listed(root: Path, lab: NewLab) -> dict[Path, str]:
    """The files with lists of labs, with the new one's line at its number's place."""
    handout, words = f"labs/{lab.folder}/README.md", lab.name.replace("_", " ")
    ladder = ", ".join(name.replace("_", " ") for name in lab.task_names)
    # File, what the line above the labs' or the table's head begins with, how a lab's line begins, the new line.
    lists = (
        ("CMakeLists.txt", "# add_lab skips a lab", "add_lab(NUMBER ", f"{{}} NAME {lab.name} FOLDER {lab.folder})"),
        ("README.md", "| # | lab |", "| ", f"{{}} | [{words}]({handout}) | {ladder} |"),
        ("docs/course.md", "| lab | new idea |", "| [",
         f"{{}} {words}](../{handout}) | {MARK}: the new idea | new in CUDA | {len(lab.tasks)} + 0 | 100 | 1, 1 |"),
        ("docs/course.md", "| lab | before", "| ",
         f"{{}} | {MARK}: the labs to do before | what the student can after it | chapters |"),
    )  # fmt: skip
    texts: dict[Path, str] = {}
    for name, head, begin, line in lists:
        text = texts.get(root / name) or (root / name).read_text("utf-8")
        rows = re.search(rf"^{re.escape(head)}.*\n(?:\|[-:|]+\n)?((?:{re.escape(begin)}\d+.*\n)+)", text, re.MULTILINE)
        if rows is None:
            raise UsageError(f"{name}: no list of labs below a line that begins with {head!r}; nothing was changed")
        number = re.compile(rf"{re.escape(begin)}(\d+)")
        old = rows[1].splitlines(keepends=True)
        new = begin + line.format(lab.number) + "\n"
        at = sum(int(found[1]) < lab.number for found in map(number.match, old) if found)
        texts[root / name] = text[: rows.start(1)] + "".join([*old[:at], new, *old[at:]]) + text[rows.end(1) :]
    return texts


if __name__ == "__main__":
    sys.exit(main())
