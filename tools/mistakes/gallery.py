"""course/mistakes.md: the most instructive mistakes, by kind. python -m mistakes.gallery grades them and writes it."""

from __future__ import annotations

import io
import os
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import msgspec
from rich.console import Console

from autograder.cli import ROOT
from autograder.plan.labs import find
from autograder.report import terminal
from autograder.session import grade
from mistakes.catalog import Mistake, all_mistakes, find_mistake
from mistakes.conformance import request_for, unexpected
from mistakes.show import diff

PAGE = ROOT / "course" / "mistakes.md"
WIDTH = 110  # columns of what the grader says

HEAD = """# Mistakes

What does a missing barrier look like? This page shows the most instructive of the {count} mistakes that this repository
tests the grader with: what a student thought, the change to the reference solution, and what the grader says.
Every mistake was really compiled and graded, on the virtual GPU.

`./grader mistake 3` lists the mistakes of lab 3, and `./grader mistake 3 one_buffer` grades one of them in front of
you. They are stored as edits of the solution, such as
[hillis_steele.toml](../tests/submissions/03-scan/wrong/hillis_steele.toml);
[adding-a-lab.md](../docs/adding-a-lab.md) explains their form.
`tools/author mistakes.gallery` writes this page.
"""

# Kind, one sentence about it, and the mistakes that show it: lab and name.
KINDS: list[tuple[str, str, list[tuple[int, str]]]] = [
    (
        "A barrier is missing",
        "The output is often right. The race is still found, because the virtual GPU compares every access with "
        "the barriers between the threads.",
        [
            (3, "one_buffer"),
            (2, "missing_barrier_in_warp"),
            (9, "items_without_barrier"),
            (12, "every_thread_launches"),
        ],
    ),
    (
        "Not all threads arrive",
        "Barriers, ballots and shuffles wait for every thread that they name.",
        [(2, "barrier_in_branch"), (4, "ballot_in_branch"), (5, "early_return")],
    ),
    (
        "Blocks that talk to each other",
        "Blocks run in any order, and what one writes is seen by another only if fences or atomics order it.",
        [(2, "last_block_without_fence"), (3, "tile_by_block_index"), (3, "torn_publish"), (3, "plain_spin")],
    ),
    (
        "Memory that belongs to somebody else, or holds garbage",
        "One element too far is found even where it changes no result.",
        [(1, "missing_guard"), (3, "no_room_for_padding"), (6, "shared_not_cleared"), (1, "reads_output")],
    ),
    (
        "The edges of the input",
        "Empty inputs, a partly filled last block, sizes that are no power of two.",
        [(1, "empty_launch"), (3, "last_block_forgotten"), (3, "only_powers_of_two"), (7, "empty_rows_skipped")],
    ),
    (
        "The wrong value",
        "The grader makes the failing call again with one thing changed; what makes it right is the cause.",
        [(3, "inclusive_for_exclusive"), (2, "max_from_zero"), (6, "byte_counters"), (3, "operator_turned_round")],
    ),
    (
        "Right and slow",
        "The output is right, and the counters show where the time goes.",
        [(1, "chunk_per_thread"), (3, "one_thread_a_tile"), (12, "splitters_one_by_one")],
    ),
    (
        "Cheats",
        "They earn nothing.",
        [(1, "computed_on_the_host"), (1, "cached_output")],
    ),
]


def shown() -> list[Mistake]:
    """The mistakes of the page, in its order."""
    return [find_mistake(find(ROOT, str(lab)), name) for _, _, names in KINDS for lab, name in names]


def heading(mistake: Mistake) -> str:
    """Name, lab, task and thought."""
    lab = mistake.lab.name
    handout = f"[Lab {int(lab[:2])}](../labs/{lab}/README.md)"
    return f"### {mistake.name}\n\n{handout}, `{mistake.task}`: “{mistake.entry.thought}”"


def change(mistake: Mistake) -> str:
    """The edit as a block of Markdown."""
    lines = [line for line in diff(mistake) if not line.startswith("+++")]
    return "```diff\n" + "\n".join(lines) + "\n```"


def said(mistake: Mistake) -> str:
    """What the grader says about it, as a block of Markdown. MistakeError: the entry expects something else."""
    result, manifest = grade(ROOT, request_for(mistake))
    if told := unexpected(mistake, result):
        raise mistake.error(told)
    out = io.StringIO()
    console = Console(file=out, width=WIDTH, color_system=None, highlight=False)
    task = msgspec.structs.replace(result.tasks[0], again="")
    terminal.show_task(console, task, manifest, True, None)
    lines = [line.rstrip() for line in out.getvalue().splitlines() if not line.startswith("  ./grader ")]
    return f"The verdict is **{task.verdict}**:\n\n```text\n" + "\n".join(lines) + "\n```"


def page(count: int, reports: Iterator[str]) -> str:
    """The page; `count`: all mistakes of the repository, `reports`: those of shown()."""
    parts = [HEAD.format(count=count)]
    mistakes = iter(shown())
    for kind, about, names in KINDS:
        parts.append(f"## {kind}\n\n{textwrap.fill(about, 120)}\n")
        for _ in names:
            mistake = next(mistakes)
            parts.append(f"{heading(mistake)}\n\n{change(mistake)}\n\n{next(reports)}\n")
    return "\n".join(parts)


def main() -> None:
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        reports = pool.map(said, shown())
        PAGE.write_text(page(len(all_mistakes(ROOT)), reports), "utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(shown())} mistakes")


if __name__ == "__main__":
    main()
