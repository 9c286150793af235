"""The README's picture: a real run of the grader, exported by its console.

A student's file half way up lab 3's ladder is put together from the reference's first task and a mistake, a race,
graded, and what the terminal showed becomes docs/figures/grader.svg. Needs make solution3.

PYTHONPATH=tools .venv/bin/python -m figures.readme [FOLDER]    (default: docs/figures)
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console

from autograder.plan.request import Request
from autograder.report import terminal
from autograder.report.result import Result
from autograder.session import grade
from mistakes.catalog import find_mistake
from mistakes.generate import texts

ROOT = Path(__file__).resolve().parents[2]
LAB = "03-scan"
WIDTH = 90
COMMAND = "make lab3 && ./grader"
FONT = "'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def half_way() -> str:
    """The skeleton with task 1 right, task 2 racing in one buffer, the others not started."""
    skeleton = (ROOT / f"labs/{LAB}/scan.cu").read_text("utf-8")
    first = (ROOT / f"solutions/{LAB}/naive.cu").read_text("utf-8").replace("constexpr int kBlock = 256;\n", "")
    mistake = find_mistake(ROOT / "labs" / LAB, "one_buffer")
    second = texts(mistake)[mistake.source.name]
    done = f"{first}{second}\n"
    return re.sub(r"// ---- Task 1.*(?=// ---- Task 3)", lambda _: done, skeleton, flags=re.DOTALL)


def as_in_labs(result: Result, file: Path) -> Result:
    """As a student sees it, whose file lies in labs/."""
    tasks = tuple(
        replace(task, again=task.again.replace(f" --file {file}", "").replace(" --device teaching", ""))
        for task in result.tasks
    )
    return replace(result, source="lab", tasks=tasks)


def draw() -> str:
    screen = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False, _environ={})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scan.cu"
        file.write_text(half_way(), "utf-8")
        result, manifest = grade(ROOT, Request(ROOT / "labs" / LAB, file=file, seed=0x7F3A, device="teaching"))
        result = as_in_labs(result, file)
        terminal.show(screen, result, manifest, ROOT / "labs" / LAB, ROOT, file=file)
    svg = screen.export_svg(title=COMMAND)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # no fonts from elsewhere
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)
    svg = re.sub(r"font-family: [^;]+;", f"font-family: {FONT};", svg)
    return re.sub(r"terminal-\d+-", "terminal-", "\n".join(line.rstrip() for line in svg.splitlines()) + "\n")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/figures"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "grader.svg").write_text(draw(), "utf-8")


if __name__ == "__main__":
    main()
