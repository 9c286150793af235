"""docs/mutants.md from docs/data/mutants.csv and the arguments: python -m mutate.page writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from autograder.plan.labs import folders
from autograder.plan.manifest import load
from mutate import arguments
from mutate.rows import LEAST, Count, Row, count, kind_of, read_csv

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "docs" / "data" / "mutants.csv"
PAGE = ROOT / "docs" / "mutants.md"
VERDICTS = ("WA", "CHECK", "RTE", "TLE", "MLE")

HEAD = """# Mutants of the solutions

Do the labs' cases find mistakes? `tools/mutate` makes small ones in the reference solutions mechanically (a comparison
flipped, a barrier removed, a bound off by one, an index swapped, an atomic made plain, a grid rounded down, a statement
left out), twenty in the code of each rung, spread over the kinds of mistakes and over the lines. Each is built as a
submission and gets the grader's cases on the virtual GPU, without timing, up to the first that rejects it. At least
{least:.0f} % of those that are not equivalent have to be rejected in every lab.

Equivalent are those whose PTX is the original's, and those with an argument in `solutions/NN-name/mutants.toml`, one
sentence for each. Mutants that only cost time are argued there too and stand apart: no result shows them. One that does
not compile is replaced by the next and counts nowhere.

Made by `PYTHONPATH=tools .venv/bin/python -m mutate --out docs/data`, and after a change of the arguments alone by
`python -m mutate.page`; `python -m mutate --labs 4 --task fused --mutant ID` shows one with its difference and what the
grader says of it. The rows are in [data/mutants.csv](data/mutants.csv).
"""

NOTES = {
    1: "In `grid_stride`, a stride of `gridDim.x * gridDim.x` leaves elements out where more than 256 blocks run: on a "
    "large GPU, and not on the teaching GPU, which is full with 64.",
    3: "In `look_back`, the order of the operands matters from the second step of a search on: to a tile that looks "
    "back over more than 32 others. The virtual GPU has at most 32 blocks at work, so that no tile has to.",
    5: "In `words`, a loop that goes a byte too far reads the fifth of four words in registers: nobody says what that "
    "is, and as it is compiled today no result changes.",
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
        argued = arguments.load(root / "solutions" / folder.name)
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
            lines += ["", NOTES[number]] if number in NOTES else []
        sections.append(f"\n## Lab {number}, {title}\n\n" + "\n".join(lines) + "\n")
    overview = [table_head("lab"), *(f"| {number} {title} | {cells(total)} |" for number, title, total in of_all)]
    return "".join([*parts, "\n", "\n".join(overview), "\n", *sections])


def table_head(first: str) -> str:
    return f"| {first} | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}"


def main() -> None:
    PAGE.write_text(page(read_csv(ROWS)))


if __name__ == "__main__":
    main()
