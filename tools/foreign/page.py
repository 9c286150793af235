"""Writes docs/measured/public-programs.md from the rows."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from foreign.recipes import Recipe
from foreign.verdict import COUNTED, GOOD, RESULTS

if TYPE_CHECKING:
    from foreign.survey import Row

PAGE = Path(__file__).resolve().parents[2] / "docs/measured/public-programs.md"

HEAD = """# Public programs on the virtual GPU

{count} programs of {repositories} public repositories ran on the virtual GPU, without a GPU. Of those that need only
CUDA's runtime and can be judged, {good} of {counted} ({share:.0%}) are right, end without a finding, or have a mistake
that the virtual GPU finds.

This page names programs and says what they did; none of their code is kept here. `python -m foreign CHECKOUTS` (with
`PYTHONPATH=tools`) measures them again: CHECKOUTS is a folder of clones, and
[tools/foreign/recipes](../../tools/foreign/recipes) says how each is built and run, with sizes that a CPU can do. The
rows are in [data/public_programs.csv](../data/public_programs.csv).

Each program had one seed (0), the checks that are on by default, and {limit}.

| result | programs | meaning |
|---|--:|---|
"""
LISTED = ("wolf", "new", "wrong", "endless", "true")  # results that have a table of their own
CAUSES = {
    r"(?:wmma|mma|ldmatrix|wgmma|stmatrix)\b": "matrix instructions",
    r"(?:tex|tld4|txq|suld|sust|sured)\b|cuda\w*(?:Array|ChannelDesc|TextureObject|SurfaceObject)": "textures, arrays",
}
LIMIT = "at most 60 seconds of processor time, or as many as its row says"


def page(rows: Sequence[Row], recipes: Sequence[Recipe]) -> str:
    counts = Counter(row.result for row in rows)
    counted, good = sum(counts[one] for one in COUNTED), sum(counts[one] for one in GOOD)
    head = HEAD.format(
        count=len(rows),
        repositories=len({row.repository for row in rows}),
        good=good,
        counted=counted,
        share=good / counted if counted else 0,
        limit=LIMIT,
    )
    parts = [head, *(f"| {name} | {counts[name]} | {what} |\n" for name, what in RESULTS.items())]
    parts += causes("What is refused", "cause", [row for row in rows if row.result == "refused"])
    parts += causes(
        "What programs need besides CUDA's runtime", "need", [row for row in rows if row.result == "library"]
    )
    parts += repositories(rows, recipes)
    for name in LISTED:
        parts += listed(name, [row for row in rows if row.result == name])
    by_repository: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_repository[row.repository].append(row)
    for repository, some in by_repository.items():
        parts.append(f"\n## {repository}\n\nRevision {some[0].revision[:10]}.\n\n| program | result | seconds | |\n")
        parts.append("|---|---|--:|---|\n")
        parts += [line(row) for row in some]
    return "".join(parts)


def line(row: Row) -> str:
    """A program's line in the table of its repository; findings and faults have tables of their own."""
    seconds = f"{row.seconds:.1f}" if row.seconds else ""
    notes = [cell(row.detail)] if row.detail and row.result not in LISTED else []
    notes += [f"`{row.arguments}`"] if row.arguments else []
    return f"| {cell(row.program)} | {row.result} | {seconds} | {'; '.join(notes)} |\n"


def cell(text: str) -> str:
    """Text that does not break a table of Markdown."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def cause_of(detail: str) -> str:
    """Names that belong to one feature, together."""
    for pattern, cause in CAUSES.items():
        if re.match(pattern, detail):
            return cause
    return detail


def causes(title: str, column: str, rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    by_cause: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_cause[cause_of(row.detail)].append(row)
    parts = [f"\n## {title}\n\n| {column} | programs | |\n|---|--:|---|\n"]
    for cause, some in sorted(by_cause.items(), key=lambda item: (-len(item[1]), item[0])):
        names = ", ".join(Path(row.program.removesuffix("/src")).name for row in some[:4]) + (
            ", …" if len(some) > 4 else ""
        )
        parts.append(f"| {cell(cause)} | {len(some)} | {names} |\n")
    return parts


def repositories(rows: Sequence[Row], recipes: Sequence[Recipe]) -> list[str]:
    about = {recipe.repository: recipe.about for recipe in recipes}
    shown = [name for name in RESULTS if any(row.result == name for row in rows)]
    parts = ["\n## Repositories\n\n| repository | programs | " + " | ".join(shown) + " | chosen |\n"]
    parts.append("|---|--:|" + "--:|" * len(shown) + "---|\n")
    for name in dict.fromkeys(row.repository for row in rows):
        counts = Counter(row.result for row in rows if row.repository == name)
        cells = " | ".join(str(counts[one] or "") for one in shown)
        parts.append(f"| {name} | {counts.total()} | {cells} | {about.get(name, '')} |\n")
    return parts


def listed(name: str, rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    parts = [f"\n## {name}: {RESULTS[name]}\n\n| program | |\n|---|---|\n"]
    return parts + [f"| {row.repository.partition('/')[2]} {row.program} | {cell(row.detail)} |\n" for row in rows]
