"""Writes docs/mutants.md from docs/data/mutants.csv and the arguments in mutants.toml."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from autograder.plan.labs import folders
from autograder.plan.manifest import load
from mistakes.catalog import place
from mutate import arguments
from mutate.rows import LEAST, Count, Row, count, kind_of, read_csv

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "docs" / "data" / "mutants.csv"
PAGE = ROOT / "docs" / "mutants.md"
VERDICTS = ("WA", "CHECK", "RTE", "TLE", "MLE")

HEAD = """# Mutants of the solutions

Do the labs' cases find mistakes? To measure it, `tools/mutate` makes small changes in the reference solutions
mechanically: a comparison flipped, a barrier removed, a bound off by one, an index swapped, an atomic made plain, a
grid rounded down, a statement left out. It makes twenty such *mutants* of each rung, spread over the kinds of change
and over the lines. Each is built like a student's file and gets the grader's cases on the virtual GPU, without timing,
until one rejects it. In every lab, the cases must reject at least {least:.0f} % of the mutants that could be rejected.

| column | what it counts |
|---|---|
| made | all mutants. One that does not compile is replaced and not counted |
| same PTX | the compiler makes the same PTX as from the original, so nothing has changed |
| argued | equivalent to the original, for the reason given in `tests/submissions/NN-name/mutants.toml` |
| only time | the results are the same and only time is lost, for the reason given there |
| rejected | rejected by a case, with the verdicts in the next columns |
| survive | rejected by no case, and not argued |
| share | rejected, of those rejected and surviving |

`PYTHONPATH=tools .venv/bin/python -m mutate --out docs/data` makes the rows and this page; `python -m mutate.page`
writes the page again after a change in `mutants.toml`. `python -m mutate --labs 4 --task fused --mutant ID` shows one
mutant with its change and what the grader says about it. The rows are in [data/mutants.csv](data/mutants.csv).
"""

NOTES = {
    1: "In `grid_stride`, a stride of `gridDim.x * gridDim.x` skips elements if more than 256 blocks run. That "
    "happens on a large GPU, but not on the teaching GPU, which 64 blocks fill.",
    2: "In `vectorized`, the fence before the last block reads the others' results: for the virtual GPU, an atomic "
    "that returns the old value acquires without a fence, as in CUDA's own examples.",
    5: "In `words`, a loop that goes one byte too far reads the fifth of four words in registers. The language does "
    "not define its value, and with today's compiler no result changes.",
}

COLUMNS = ("made", "same PTX", "argued", "only time", "rejected", *VERDICTS, "survive", "share")


def cells(total: Count) -> str:
    verdicts = total.verdicts or Counter[str]()
    numbers = [total.made, total.same_ptx, total.equivalent, total.speed, total.rejected]
    numbers += [verdicts.get(name, 0) for name in VERDICTS] + [total.survivors]
    return " | ".join([*map(str, numbers), f"{total.share:.0%}"])


def page(rows: Sequence[Row], root: Path = ROOT) -> str:
    """The whole page."""
    parts = [HEAD.format(least=100 * LEAST)]
    of_all: list[tuple[int, str, Count]] = []
    sections = []
    for number, group in groupby(rows, key=lambda row: row.lab):
        folder = folders(root)[number]
        argued = arguments.load(place(folder))
        title = load(folder).title
        of_lab = list(group)
        total = count(of_lab, argued)
        of_all.append((number, title, total))
        lines = [table_head("rung")]
        for task in dict.fromkeys(row.task for row in of_lab):
            lines.append(f"| `{task}` | {cells(count([row for row in of_lab if row.task == task], argued))} |")
        survivors = [row for row in of_lab if kind_of(row, argued) == "survivors"]
        told = [f"- `{row.task}`, {row.file}:{row.line}: `{row.change}` ({row.id})" for row in survivors]
        if told:
            lines += ["", "Survivors:", "", *told]
            lines += ["", textwrap.fill(NOTES[number], 120, break_on_hyphens=False)] if number in NOTES else []
        sections.append(f"\n## Lab {number}, {title}\n\n" + "\n".join(lines) + "\n")
    overview = [table_head("lab"), *(f"| {number} {title} | {cells(total)} |" for number, title, total in of_all)]
    return "".join([*parts, "\n", "\n".join(overview), "\n", *sections])


def table_head(first: str) -> str:
    return f"| {first} | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}"


def main() -> None:
    PAGE.write_text(page(read_csv(ROWS)))


if __name__ == "__main__":
    main()
