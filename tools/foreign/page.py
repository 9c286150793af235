"""Writes the tables of docs/measured/public-programs.md from the rows."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.page_parts import table, write_part
from foreign.recipes import Recipe
from foreign.verdict import COUNTED, GOOD, RESULTS

if TYPE_CHECKING:
    from foreign.survey import Row

PAGE = Path(__file__).resolve().parents[2] / "docs/measured/public-programs.md"

LISTED = ("wolf", "new", "wrong", "endless", "true")  # results that have a table of their own
CAUSES = {
    r"(?:wmma|mma|ldmatrix|wgmma|stmatrix)\b": "matrix instructions",
    r"(?:tex|tld4|txq|suld|sust|sured)\b|cuda\w*(?:Array|ChannelDesc|TextureObject|SurfaceObject)": "textures, arrays",
}


def results(rows: Sequence[Row], recipes: Sequence[Recipe]) -> str:
    """All that the rows say."""
    counts = Counter(row.result for row in rows)
    counted, good = sum(counts[one] for one in COUNTED), sum(counts[one] for one in GOOD)
    share = f"{good} of {counted} ({good / max(counted, 1):.0%})"
    parts = [
        f"{len(rows)} programs of {len({row.repository for row in rows})} public repositories ran.\n\n"
        f"Of those that need only CUDA's runtime and can be judged, {share} are right, end without a finding, or have\n"
        "a mistake that the virtual GPU finds.\n",
        table("result | +programs | meaning", [(name, counts[name], what) for name, what in RESULTS.items()]),
        *causes("What is refused", "cause", [row for row in rows if row.result == "refused"]),
        *causes("What programs need besides CUDA's runtime", "need", [row for row in rows if row.result == "library"]),
        repositories(rows, recipes),
        *(listed(name, [row for row in rows if row.result == name]) for name in LISTED),
    ]
    for repository in dict.fromkeys(row.repository for row in rows):
        some = [row for row in rows if row.repository == repository]
        head = f"## {repository}\n\nRevision {some[0].revision[:10]}.\n\n"
        parts.append(head + table("program | result | +seconds | ", map(line, some)))
    return "\n".join(part for part in parts if part)


def line(row: Row) -> tuple[str, ...]:
    """A program's line in the table of its repository; findings and faults have tables of their own."""
    notes = [cell(row.detail)] if row.detail and row.result not in LISTED else []
    notes += [f"`{row.arguments}`"] if row.arguments else []
    return cell(row.program), row.result, f"{row.seconds:.1f}" if row.seconds else "", "; ".join(notes)


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
    lines = []
    for cause, some in sorted(by_cause.items(), key=lambda item: (-len(item[1]), item[0])):
        names = [Path(row.program.removesuffix("/src")).name for row in some[:4]]
        lines.append((cell(cause), len(some), ", ".join(names) + (", …" if len(some) > 4 else "")))
    return [f"## {title}\n\n" + table(f"{column} | +programs | ", lines)]


def repositories(rows: Sequence[Row], recipes: Sequence[Recipe]) -> str:
    about = {recipe.repository: recipe.about for recipe in recipes}
    shown = [name for name in RESULTS if any(row.result == name for row in rows)]
    lines = []
    for name in dict.fromkeys(row.repository for row in rows):
        counts = Counter(row.result for row in rows if row.repository == name)
        lines.append((name, counts.total(), *(counts[one] or "" for one in shown), about.get(name, "")))
    head = "".join(f" | +{name}" for name in shown)
    return "## Repositories\n\n" + table(f"repository | +programs{head} | chosen", lines)


def listed(name: str, rows: Sequence[Row]) -> str:
    lines = [(f"{row.repository.partition('/')[2]} {row.program}", cell(row.detail)) for row in rows]
    return f"## {name}: {RESULTS[name]}\n\n{table('program | ', lines)}" if rows else ""


def write(rows: Sequence[Row], recipes: Sequence[Recipe]) -> None:
    write_part(PAGE, "results", results(rows, recipes))
